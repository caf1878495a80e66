// The nest of distance_map.loop.
#include "peer.h"

static void loops(long M, long N, const uint8_t *restrict p, int32_t *restrict d) {
	long s = N + 1;
	for (long i = 1; i <= M; i++) {
		const uint8_t *restrict q = p + (i - 1) * N - 1;
		int32_t *restrict m = d + i * s;
		for (long j = 1; j <= N; j++)
			m[j] = q[j] == 0 ? 0 : 1 + (m[j - s] < m[j - 1] ? m[j - s] : m[j - 1]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000), n = (M + 1) * (N + 1);
	uint8_t *p = given_uint8(0, M * N);
	int32_t *d = kept(n, sizeof *d);
	for (long k = 0; k < n; k++)
		d[k] = 10000;
	MEASURE((double)(M * N), loops(M, N, p, d));
	result(d, n, sizeof *d);
	return finish();
}
