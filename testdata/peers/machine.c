// What one processor of this machine can do, for the roof of a nest: the speed of
// memory over an array of as many bytes as a nest moves, its clock rate, and the
// throughput of its divider. It is a program like the peers:
//
//	machine bytes=100000000
//
// and prints 1e9 bytes per second, GHz, and nanoseconds per division; and how evenly it
// runs: what pieces of vector arithmetic of about a millisecond take that differ in
// nothing, the median of them and the fastest of the slowest tenth, over the fastest.
#include "peer.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Results go here, so that nothing is left out by the compiler.
static volatile uint64_t sink;

// best runs f often and returns the least time of a single one.
static double best(void (*f)(uint64_t *, size_t), uint64_t *words, size_t n) {
	double fastest = 1e30, until = now() + 0.06;
	for (int k = 0; k < 3 || now() < until; k++) {
		double began = now();
		f(words, n);
		double took = now() - began;
		if (took < fastest)
			fastest = took;
	}
	return fastest;
}

static void load(uint64_t *words, size_t n) {
	uint64_t sum[8] = {0};
	for (size_t k = 0; k + 8 <= n; k += 8)
		for (int lane = 0; lane < 8; lane++)
			sum[lane] ^= words[k + (size_t)lane];
	for (int lane = 0; lane < 8; lane++)
		sink = sum[lane];
}

static void store(uint64_t *words, size_t n) {
	for (size_t k = 0; k < n; k++)
		words[k] = k;
}

// stream stores without reading the lines of the cache before.
static void stream(uint64_t *words, size_t n) {
#ifdef __SSE2__
	__m128i value = _mm_set1_epi64x((long long)n);
	for (size_t k = 0; k + 2 <= n; k += 2)
		_mm_stream_si128((__m128i *)(void *)(words + k), value);
	_mm_sfence();
#else
	store(words, n);
#endif
}

// chain makes n steps that each need what came out before: an exclusive or and a
// multiplication, together 4 cycles on the 64-bit x86 processors of the last 15
// years. The first keeps the compiler from multiplying in another order.
static void chain(uint64_t *words, size_t n) {
	uint64_t x = words[0] | 1, factor = words[1] | 5;
	for (size_t k = 0; k < n; k++)
		x = (x ^ k) * factor;
	sink = x;
}

// The divisions are independent, and their operands in the first level of the
// cache.
enum { QUOTIENTS = 1024 };
static float divisor32[QUOTIENTS], quotient32[QUOTIENTS];
static double divisor64[QUOTIENTS], quotient64[QUOTIENTS];

static void divide32(uint64_t *unused, size_t n) {
	(void)unused;
	for (size_t turn = 0; turn < n; turn++) {
		for (int k = 0; k < QUOTIENTS; k++)
			quotient32[k] = 3.0f / divisor32[k];
		sink = (uint64_t)quotient32[turn % QUOTIENTS];
	}
}

static void divide64(uint64_t *unused, size_t n) {
	(void)unused;
	for (size_t turn = 0; turn < n; turn++) {
		for (int k = 0; k < QUOTIENTS; k++)
			quotient64[k] = 3.0 / divisor64[k];
		sink = (uint64_t)quotient64[turn % QUOTIENTS];
	}
}

// arithmetic multiplies and adds, all in the first level of the cache and as many
// numbers at a time as the processor can: what else runs on the same core shows, for it
// needs the same units.
static void arithmetic(size_t turns) {
	for (size_t turn = 0; turn < turns; turn++) {
		for (int k = 0; k < QUOTIENTS; k++)
			quotient32[k] = quotient32[k] * 0.75f + 0.25f;
		sink = turn;
	}
}

enum { PIECES = 200 };
static double pieces[PIECES];

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

// measure_pieces sorts the times of pieces of arithmetic.
static void measure_pieces(void) {
	size_t turns = 1000;
	double began = now();
	arithmetic(turns);
	turns = (size_t)(1e-3 / ((now() - began) / (double)turns)) + 1;
	for (int k = 0; k < PIECES; k++) {
		began = now();
		arithmetic(turns);
		pieces[k] = now() - began;
	}
	qsort(pieces, PIECES, sizeof *pieces, ascending);
}

int main(int argc, char **argv) {
	start(argc, argv);
	size_t n = (size_t)number("bytes", 100000000) / 8 + 16;
	uint64_t *words = cells((long)n, sizeof *words);
	for (size_t k = 0; k < n; k++)
		words[k] = k;
	for (int k = 0; k < QUOTIENTS; k++)
		divisor64[k] = divisor32[k] = 1.0f + random_float32(0, (uint64_t)k);
	double gigabytes = 8e-9 * (double)n;
	const size_t steps = 1000000, turns = 1000;
	double per_step = best(chain, words, steps) / (double)steps;
	double per_division = 1e9 / ((double)turns * QUOTIENTS);
	measure_pieces();
	printf("{\"load\":%.3f,\"store\":%.3f,\"stream\":%.3f,\"ghz\":%.3f,\"divide32\":%.4f,\"divide64\":%.4f,\"half\":%.4f,\"tenth\":%.4f}\n",
	       gigabytes / best(load, words, n), gigabytes / best(store, words, n), gigabytes / best(stream, words, n),
	       4e-9 / per_step, best(divide32, words, turns) * per_division, best(divide64, words, turns) * per_division,
	       pieces[PIECES / 2] / pieces[0], pieces[PIECES * 9 / 10] / pieces[0]);
	free(words);
	return 0;
}
