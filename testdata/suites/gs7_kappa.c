// The nest of gs7_kappa.loop.
#include "peer.h"

static void loops(long T, long N, const double *restrict kappa, const double *restrict f, double *restrict u) {
	long s = N + 2, p = s * s;
	for (long t = 0; t < T; t++)
		for (long x = 1; x <= N; x++)
			for (long y = 1; y <= N; y++) {
				const double *restrict k = kappa + x * p + y * s, *restrict g = f + x * p + y * s;
				double *restrict m = u + x * p + y * s;
				for (long z = 1; z <= N; z++) {
					double sum = k[z - p] + k[z + p] + k[z - s] + k[z + s] + k[z - 1] + k[z + 1];
					double flow = k[z - p] * m[z - p] + k[z + p] * m[z + p] + k[z - s] * m[z - s] + k[z + s] * m[z + s] + k[z - 1] * m[z - 1] + k[z + 1] * m[z + 1];
					m[z] = (flow + g[z]) / (1.0 + sum);
				}
			}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 100), n = (N + 2) * (N + 2) * (N + 2);
	double *k = given_float64(0, n), *f = given_float64(1, n), *u = given_float64(2, n);
	MEASURE((double)(T * N * N * N), loops(T, N, k, f, u));
	result(u, n, sizeof *u);
	return finish();
}
