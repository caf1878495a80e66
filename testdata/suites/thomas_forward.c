// The nest of thomas_forward.loop.
#include "peer.h"

static void loops(long M, long N, const double *restrict a, const double *restrict c, const double *restrict d, double *restrict cc, double *restrict dd) {
	for (long i = 0; i < M; i++) {
		const double *restrict e = a + i * N - 1, *restrict f = c + i * N - 1, *restrict g = d + i * N - 1;
		double *restrict p = cc + i * (N + 1), *restrict q = dd + i * (N + 1);
		for (long j = 1; j <= N; j++) {
			double w = 2.5 - e[j] * p[j - 1];
			p[j] = f[j] / w;
			q[j] = (g[j] - e[j] * q[j - 1]) / w;
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 500), N = number("N", 500), n = M * (N + 1);
	double *a = given_float64(0, M * N), *c = given_float64(1, M * N), *d = given_float64(2, M * N), *cc = zeroed(n, sizeof *cc), *dd = zeroed(n, sizeof *dd);
	MEASURE((double)(M * N), loops(M, N, a, c, d, cc, dd));
	result(cc, n, sizeof *cc);
	result(dd, n, sizeof *dd);
	return finish();
}
