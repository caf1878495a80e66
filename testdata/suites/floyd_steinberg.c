// The nest of floyd_steinberg.loop. Two rows of errors are kept.
#include "peer.h"

static void loops(long M, long N, const uint8_t *restrict p, int32_t *restrict e, uint8_t *restrict q) {
	for (long i = 0; i < M; i++) {
		const int32_t *restrict above = e + i % 2 * (N + 2);
		int32_t *restrict here = e + (i + 1) % 2 * (N + 2), last = 0;
		for (long j = 1; j <= N; j++) {
			int32_t v = 32 * p[i * N + j - 1] + (7 * last + above[j - 1] + 5 * above[j] + 3 * above[j + 1]) / 16;
			q[i * N + j - 1] = v > 127 ? 255 : 0;
			here[j] = last = v - (v > 127 ? 255 : 0);
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000);
	uint8_t *p = given_uint8(0, M * N), *q = zeroed(M * N, 1);
	int32_t *e = zeroed(2 * (N + 2), sizeof *e);
	MEASURE((double)(M * N), loops(M, N, p, e, q));
	result(q, M * N, 1);
	return finish();
}
