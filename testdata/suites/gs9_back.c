// The nest of gs9_back.loop.
#include "peer.h"

static void loops(long T, long N, const double *restrict f, double *restrict u) {
	long s = N + 2;
	for (long t = 0; t < T; t++)
		for (long i = N; i >= 1; i--) {
			double *restrict m = u + i * s;
			const double *restrict g = f + (i - 1) * N - 1;
			for (long j = N; j >= 1; j--)
				m[j] = 0.2 * (m[j - s] + m[j + s] + m[j - 1] + m[j + 1]) + 0.05 * (m[j - s - 1] + m[j - s + 1] + m[j + s - 1] + m[j + s + 1]) - 0.1 * g[j];
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 2) * (N + 2);
	double *f = given_float64(0, N * N), *u = given_float64(1, n);
	MEASURE((double)(T * N * N), loops(T, N, f, u));
	result(u, n, sizeof *u);
	return finish();
}
