// The nest of transport3d.loop. One plane of a direction is kept.
#include "peer.h"

static void loops(long M, long N, const double *restrict mu, const double *restrict q, const double *restrict sigma, double *restrict plane, double *restrict last) {
	long s = N + 1;
	for (long m = 0; m < M; m++) {
		double a = mu[3 * m], b = mu[3 * m + 1], c = mu[3 * m + 2];
		for (long k = 0; k < s * s; k++)
			plane[k] = 1;
		for (long i = 0; i < N; i++)
			for (long j = N - 1; j >= 0; j--) {
				const double *restrict g = q + (i * N + j) * N, *restrict h = sigma + (i * N + j) * N;
				double *restrict p = plane + j * s;
				for (long k = N - 1; k >= 0; k--)
					p[k] = (g[k] + a * p[k] + b * p[k + s] + c * p[k + 1]) / (h[k] + a + b + c + 0.1);
			}
		for (long j = 0; j < N; j++)
			memcpy(last + (m * N + j) * N, plane + j * s, (size_t)N * sizeof *last);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 8), N = number("N", 100), n = N * N * N;
	double *mu = given_float64(0, 3 * M), *q = given_float64(1, n), *sigma = given_float64(2, n);
	double *plane = zeroed((N + 1) * (N + 1), sizeof *plane), *last = zeroed(M * N * N, sizeof *last);
	MEASURE((double)(M * N * N * N), loops(M, N, mu, q, sigma, plane, last));
	result(last, M * N * N, sizeof *last);
	return finish();
}
