// The nest of chamfer_back.loop.
#include "peer.h"

static inline int32_t less(int32_t x, int32_t y) { return x < y ? x : y; }

static void loops(long M, long N, int32_t *restrict d) {
	long s = N + 2;
	for (long i = M; i >= 1; i--) {
		int32_t *restrict m = d + i * s;
		for (long j = N; j >= 1; j--)
			m[j] = less(less(less(less(m[j], m[j + 1] + 3), m[j + s + 1] + 4), m[j + s] + 3), m[j + s - 1] + 4);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000), n = (M + 2) * (N + 2);
	int32_t *d = given_int32(0, n);
	MEASURE((double)(M * N), loops(M, N, d));
	result(d, n, sizeof *d);
	return finish();
}
