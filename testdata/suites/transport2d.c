// The nest of transport2d.loop.
#include "peer.h"

static void loops(long M, long N, const double *restrict mu, const double *restrict eta, const double *restrict q, const double *restrict sigma, double *restrict psi) {
	long s = N + 1;
	for (long m = 0; m < M; m++) {
		double a = 2 * mu[m], b = 2 * eta[m];
		for (long i = 1; i <= N; i++) {
			double *restrict p = psi + (m * s + i) * s;
			const double *restrict g = q + (i - 1) * N - 1, *restrict h = sigma + (i - 1) * N - 1;
			for (long j = 1; j <= N; j++)
				p[j] = (g[j] + a * p[j - s] + b * p[j - 1]) / (1 + h[j] + a + b);
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 10), N = number("N", 500), n = M * (N + 1) * (N + 1);
	double *mu = given_float64(0, M), *eta = given_float64(1, M), *q = given_float64(2, N * N), *sigma = given_float64(3, N * N), *psi = kept(n, sizeof *psi);
	for (long k = 0; k < n; k++)
		psi[k] = 0.5;
	MEASURE((double)(M * N * N), loops(M, N, mu, eta, q, sigma, psi));
	result(psi, n, sizeof *psi);
	return finish();
}
