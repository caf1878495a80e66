// The nest of summed_area.loop.
#include "peer.h"

static void loops(long M, long N, const uint8_t *restrict p, int64_t *restrict s) {
	long w = N + 1;
	for (long i = 1; i <= M; i++) {
		const uint8_t *restrict q = p + (i - 1) * N - 1;
		int64_t *restrict r = s + i * w;
		for (long j = 1; j <= N; j++)
			r[j] = q[j] + r[j - w] + r[j - 1] - r[j - w - 1];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000), n = (M + 1) * (N + 1);
	uint8_t *p = given_uint8(0, M * N);
	int64_t *s = zeroed(n, sizeof *s);
	MEASURE((double)(M * N), loops(M, N, p, s));
	result(s, n, sizeof *s);
	return finish();
}
