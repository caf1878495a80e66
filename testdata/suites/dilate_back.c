// The nest of dilate_back.loop.
#include "peer.h"

static inline uint8_t less(uint8_t x, uint8_t y) { return x < y ? x : y; }
static inline uint8_t greater(uint8_t x, uint8_t y) { return x > y ? x : y; }

static void loops(long M, long N, const uint8_t *restrict mask, uint8_t *restrict marker) {
	long s = N + 2;
	for (long i = M; i >= 1; i--) {
		uint8_t *restrict m = marker + i * s;
		const uint8_t *restrict most = mask + (i - 1) * N - 1;
		for (long j = N; j >= 1; j--)
			m[j] = less(most[j], greater(greater(greater(greater(m[j], m[j + 1]), m[j + s - 1]), m[j + s]), m[j + s + 1]));
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000), n = (M + 2) * (N + 2);
	uint8_t *mask = given_uint8(0, M * N), *m = given_uint8(1, n);
	MEASURE((double)(M * N), loops(M, N, mask, m));
	result(m, n, 1);
	return finish();
}
