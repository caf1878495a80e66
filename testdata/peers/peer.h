// What the C peers share: arguments of the form name=value, the pseudo-random
// content of given arrays, the clock, the checksum of results, the wavefront of
// tiles, and the line that they print.
//
// A peer runs one nest, once:
//
//	nest variant=plain X=64 Y=64 Z=1024 check=1
//
// and prints one line of JSON: seconds of the loops alone (arrays are allocated
// and filled a while before the clock starts, so that their pages are in memory),
// iterations, and with check=1 a checksum of the results.
//
//	plain     the loops as a good C programmer writes them
//	tiled     tiles, skewed where dependences ask for it, in wavefronts; tiles of
//	          a wavefront are given to the threads of OpenMP, if it is there
//
// Programs with MPI have the variants blocking and overlap instead.
//
// The sources are to be compiled with -ffp-contract=off for results with the
// bits of loopc's; without it the compiler may fuse multiplications and
// additions, where the bits differ.
#ifndef PEER_H
#define PEER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <time.h>

static int argument_count;
static char **arguments;

// start remembers the command line.
static inline void start(int argc, char **argv) {
	argument_count = argc;
	arguments = argv;
}

static inline long least(long a, long b) { return a < b ? a : b; }
static inline long most(long a, long b) { return a > b ? a : b; }

// word returns the value of argument name, or otherwise.
static inline const char *word(const char *name, const char *otherwise) {
	size_t length = strlen(name);
	for (int k = 1; k < argument_count; k++)
		if (strncmp(arguments[k], name, length) == 0 && arguments[k][length] == '=')
			return arguments[k] + length + 1;
	return otherwise;
}

// number returns the value of argument name, a positive integer, or otherwise.
static inline long number(const char *name, long otherwise) {
	const char *text = word(name, NULL);
	if (text == NULL)
		return otherwise;
	char *end;
	long value = strtol(text, &end, 10);
	if (*end != 0 || end == text || value < 1) {
		fprintf(stderr, "%s=%s is not a positive integer\n", name, text);
		exit(2);
	}
	return value;
}

// is_variant reports whether the variant wanted is name.
static inline int is_variant(const char *name) { return strcmp(word("variant", "plain"), name) == 0; }

// unknown_variant ends the program.
static inline void unknown_variant(void) {
	fprintf(stderr, "no such variant: %s\n", word("variant", "plain"));
	exit(2);
}

// mix is the finalizer of splitmix64.
static inline uint64_t mix(uint64_t x) {
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

// random_bits gives a cell of a given array its 64 bits: those of the emitted
// programs with --random 1 (runtime/cli/random.go). Arrays are numbered from 0 in
// the order of the .loop file, cells in C order.
static inline uint64_t random_bits(int array, uint64_t cell) {
	uint64_t key = mix(1 ^ mix((uint64_t)array + 1));
	return mix(key + cell * 0x9e3779b97f4a7c15);
}

// Of the 64 bits, floats in [0, 1) and bytes below 8, exactly.
static inline float random_float32(int array, uint64_t cell) {
	return (float)(random_bits(array, cell) >> 40) / 16777216.0f;
}
static inline double random_float64(int array, uint64_t cell) {
	return (double)(random_bits(array, cell) >> 11) / 9007199254740992.0;
}
static inline uint8_t random_uint8(int array, uint64_t cell) { return (uint8_t)(random_bits(array, cell) % 8); }
static inline int32_t random_int32(int array, uint64_t cell) { return (int32_t)(random_bits(array, cell) % 201) - 100; }
static inline int64_t random_int64(int array, uint64_t cell) { return (int64_t)(random_bits(array, cell) % 201) - 100; }

// cells allocates n cells of size bytes each, on a cache line of their own.
static inline void *cells(long n, size_t size) {
	void *p = aligned_alloc(64, ((size_t)n * size + 127) / 64 * 64);
	if (p == NULL) {
		fprintf(stderr, "no memory for %ld cells\n", n);
		exit(1);
	}
	return p;
}

// now returns a time in seconds.
static inline double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// settle leaves arrays alone that are filled, for a fiftieth of a second, as loopc bench does
// those of loopc: what was written last is in the caches otherwise, and neither reading it
// nor stores past the caches take then what they take later.
static inline void settle(void) {
	struct timespec left = {.tv_nsec = 20000000};
	while (nanosleep(&left, &left) != 0)
		;
}

// checksum adds the bytes of a result to a checksum, which is 0 at first: words
// of 8 bytes, little-endian, the last one filled up with zeros. It has no use for
// sequences of words whose changes cancel: each word is multiplied in and spread.
static inline uint64_t checksum(uint64_t sum, const void *result, size_t bytes) {
	const unsigned char *p = result;
	while (bytes > 0) {
		uint64_t value = 0;
		size_t n = bytes < 8 ? bytes : 8;
		memcpy(&value, p, n);
		sum = (sum ^ value) * 0xbf58476d1ce4e5b9;
		sum ^= sum >> 29;
		p += n;
		bytes -= n;
	}
	return sum;
}

// wants_checksum reports whether a checksum is asked for.
static inline int wants_checksum(void) { return strcmp(word("check", "0"), "1") == 0; }

// sleep_instead waits instead of computing so many iterations, if the argument virtual
// gives nanoseconds for one, and reports whether it did: see --virtual of loopc's
// programs, which wait in the same way. What a wait takes too long is taken off the
// next one.
static inline int sleep_instead(double points) {
	static double each = -1, owed;
	if (each < 0) {
		each = strtod(word("virtual", "0"), NULL);
#ifdef __linux__
		prctl(PR_SET_TIMERSLACK, 1);
#endif
	}
	if (each <= 0)
		return 0;
	owed += points * each * 1e-9;
	if (owed < 50e-6)
		return 1;
	double began = now();
	struct timespec left = {.tv_sec = (time_t)owed, .tv_nsec = (long)((owed - (double)(time_t)owed) * 1e9)};
	while (nanosleep(&left, &left) != 0)
		;
	owed -= now() - began;
	return 1;
}

// report prints the line of a run.
static inline void report(double seconds, double points, uint64_t sum) {
	printf("{\"seconds\":%.9f,\"points\":%.0f", seconds, points);
	if (wants_checksum())
		printf(",\"checksum\":\"%016llx\"", (unsigned long long)sum);
	printf("}\n");
}

// The rest of this part is for programs that are plain loops and nothing else:
//
//	double *u = given_float64(0, (N + 2) * (N + 2));
//	float *old = zeroed(N, sizeof *old);
//	MEASURE((double)T * N * N, sweep(T, N, u));
//	result(u, (N + 2) * (N + 2), sizeof *u);
//	return finish();
//
// The points of MEASURE may be 0: they are those of the .loop file then.
// With at_least=20, runs shorter than 20 ms are repeated, and the time is the mean. Arrays
// made here get back the content that they had when the first run began.
static struct {
	char *cells, *before;
	size_t bytes;
} kept_arrays[64];
static int kept_count;
static double run_points, run_seconds, run_total;
static long run_count;
static uint64_t run_sum;

static inline void *kept(long n, size_t size) {
	kept_arrays[kept_count].bytes = (size_t)n * size;
	return kept_arrays[kept_count++].cells = cells(n, size);
}

static inline void *zeroed(long n, size_t size) { return memset(kept(n, size), 0, (size_t)n * size); }

// given_TYPE makes the given array of that number, with n cells.
#define GIVEN(name, type) \
	static inline type *given_##name(int array, long n) { \
		type *p = kept(n, sizeof *p); \
		for (long k = 0; k < n; k++) \
			p[k] = random_##name(array, (uint64_t)k); \
		return p; \
	}
GIVEN(float32, float)
GIVEN(float64, double)
GIVEN(int32, int32_t)
GIVEN(int64, int64_t)
GIVEN(uint8, uint8_t)

// supplied says that a program has changed the random content of a given array, so that the matrix
// of a solver can be solved, for example. With inputs=FOLDER the program writes these arrays as
// files of NumPy, for loopc's program, and runs nothing. rows is 0 if the array has one dimension.
static inline void supplied(const char *name, const void *p, long rows, long columns, const char *type, size_t size) {
	const char *folder = word("inputs", "");
	if (*folder == 0)
		return;
	char path[4096], header[118], shape[64];
	snprintf(path, sizeof path, "%s/%s.npy", folder, name);
	if (rows == 0)
		snprintf(shape, sizeof shape, "(%ld,)", columns);
	else
		snprintf(shape, sizeof shape, "(%ld, %ld)", rows, columns);
	snprintf(header, sizeof header, "{'descr': '<%s', 'fortran_order': False, 'shape': %s, }", type, shape);
	FILE *f = fopen(path, "wb");
	size_t n = (size_t)((rows == 0 ? 1 : rows) * columns);
	if (f == NULL || fprintf(f, "\x93NUMPY%c", 1) < 0 || fprintf(f, "%c%c%c%-117s\n", 0, 118, 0, header) < 0 || fwrite(p, size, n, f) != n || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
}

// another_run reports whether the loops are to be run, and prepares that.
static inline int another_run(double points) {
	if (*word("inputs", "") != 0)
		return 0;
	// A run of that many points takes longer than any that is repeated.
	double enough = is_variant("plain") && points < 1e8 ? 1e-3 * strtod(word("at_least", "0"), NULL) : 0;
	run_points = points;
	run_total += run_seconds;
	if (run_count > 0 && run_total >= enough)
		return 0;
	for (int k = 0; k < kept_count && enough > 0; k++) {
		char *from = kept_arrays[k].before, *to = kept_arrays[k].cells;
		if (run_count == 0) {
			from = to;
			to = kept_arrays[k].before = cells(1, kept_arrays[k].bytes);
		}
		memcpy(to, from, kept_arrays[k].bytes);
	}
	if (run_count++ == 0)
		settle();
	return 1;
}

#define MEASURE(points, loops) \
	while (another_run(points)) { \
		double began = now(); \
		loops; \
		run_seconds = now() - began; \
	}

// result adds a result to the checksum.
static inline void result(const void *p, long n, size_t size) {
	if (wants_checksum())
		run_sum = checksum(run_sum, p, (size_t)n * size);
}

// finish prints the line.
static inline int finish(void) {
	if (!is_variant("plain"))
		unknown_variant();
	report(run_total / (double)most(run_count, 1), run_points, run_sum);
	return 0;
}

// tiles returns how many tiles of a side cover n iterations.
static inline long tiles(long n, long side) { return (n + side - 1) / side; }

// A tile_function runs tile (a, b, c) of a nest.
typedef void tile_function(const void *nest, long a, long b, long c);

// wavefront runs na x nb x nc tiles. A tile may need those before it in any
// direction: the tiles of one hyperplane a + b + c = w run at once.
static inline void wavefront(long na, long nb, long nc, tile_function *tile, const void *nest) {
#ifdef _OPENMP
#pragma omp parallel
#endif
	for (long w = 0; w <= na + nb + nc - 3; w++) {
#ifdef _OPENMP
#pragma omp for collapse(2) schedule(dynamic)
#endif
		for (long a = 0; a < na; a++)
			for (long b = 0; b < nb; b++) {
				long c = w - a - b;
				if (c >= 0 && c < nc)
					tile(nest, a, b, c);
			}
	}
}

#endif
