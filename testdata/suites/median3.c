// The nest of median3.loop.
#include "peer.h"

static inline uint8_t less(uint8_t x, uint8_t y) { return x < y ? x : y; }
static inline uint8_t greater(uint8_t x, uint8_t y) { return x > y ? x : y; }

static void loops(long M, long N, const uint8_t *restrict p, uint8_t *restrict q) {
	long s = N + 2;
	for (long i = 1; i <= M; i++) {
		const uint8_t *restrict m = p + i * s;
		uint8_t *restrict r = q + (i - 1) * N - 1;
		for (long j = 1; j <= N; j++) {
			uint8_t a = less(m[j - s], m[j + s]), b = greater(m[j - s], m[j + s]);
			uint8_t c = less(m[j - 1], m[j + 1]), d = greater(m[j - 1], m[j + 1]);
			uint8_t low = greater(a, c), high = less(b, d);
			r[j] = greater(less(low, high), less(greater(low, high), m[j]));
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000);
	uint8_t *p = given_uint8(0, (M + 2) * (N + 2)), *q = zeroed(M * N, 1);
	MEASURE((double)(M * N), loops(M, N, p, q));
	result(q, M * N, 1);
	return finish();
}
