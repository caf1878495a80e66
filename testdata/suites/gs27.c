// The nest of gs27.loop.
#include "peer.h"

static void loops(long T, long N, const double *restrict f, double *restrict u) {
	long s = N + 2, p = s * s;
	for (long t = 0; t < T; t++)
		for (long i = 1; i <= N; i++)
			for (long j = 1; j <= N; j++) {
				double *restrict m = u + i * p + j * s;
				const double *restrict g = f + ((i - 1) * N + j - 1) * N - 1;
				for (long k = 1; k <= N; k++) {
					double faces = m[k - p] + m[k + p] + m[k - s] + m[k + s] + m[k - 1] + m[k + 1];
					double edges = m[k - p - s] + m[k - p + s] + m[k + p - s] + m[k + p + s] + m[k - p - 1] + m[k - p + 1] + m[k + p - 1] + m[k + p + 1] + m[k - s - 1] + m[k - s + 1] + m[k + s - 1] + m[k + s + 1];
					double corners = m[k - p - s - 1] + m[k - p - s + 1] + m[k - p + s - 1] + m[k - p + s + 1] + m[k + p - s - 1] + m[k + p - s + 1] + m[k + p + s - 1] + m[k + p + s + 1];
					m[k] = 0.1 * faces + 0.02 * edges + 0.01 * corners + 0.05 * g[k];
				}
			}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 100), n = (N + 2) * (N + 2) * (N + 2);
	double *f = given_float64(0, N * N * N), *u = given_float64(1, n);
	MEASURE((double)(T * N * N * N), loops(T, N, f, u));
	result(u, n, sizeof *u);
	return finish();
}
