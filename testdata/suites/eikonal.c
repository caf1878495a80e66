// The nest of eikonal.loop.
#include "peer.h"
#include <math.h>

static inline double less(double x, double y) { return x < y ? x : y; }

static void loops(long T, long N, const double *restrict f, double *restrict u) {
	long s = N + 2;
	for (long t = 0; t < T; t++)
		for (long i = 1; i <= N; i++) {
			double *restrict m = u + i * s;
			const double *restrict g = f + (i - 1) * N - 1;
			for (long j = 1; j <= N; j++) {
				double a = less(m[j - s], m[j + s]), b = less(m[j - 1], m[j + 1]), h = 0.1 + g[j];
				double most = 2.0 * h * h - (a - b) * (a - b), root = sqrt(0.0 < most ? most : 0.0);
				m[j] = less(m[j], fabs(a - b) >= h ? less(a, b) + h : 0.5 * (a + b + root));
			}
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 4), N = number("N", 500), n = (N + 2) * (N + 2);
	double *f = given_float64(0, N * N), *u = given_float64(1, n);
	MEASURE((double)(T * N * N), loops(T, N, f, u));
	result(u, n, sizeof *u);
	return finish();
}
