// The nests of ssor.loop.
#include "peer.h"

static inline double relaxed(const double *restrict m, long s, double f) {
	return -0.2 * m[0] + 0.3 * (m[-s] + m[s] + m[-1] + m[1] - f);
}

static void loops(long T, long N, const double *restrict f, double *restrict u) {
	long s = N + 2;
	for (long t = 0; t < T; t++) {
		for (long i = 1; i <= N; i++)
			for (long j = 1; j <= N; j++)
				u[i * s + j] = relaxed(u + i * s + j, s, f[(i - 1) * N + j - 1]);
		for (long i = N; i >= 1; i--)
			for (long j = N; j >= 1; j--)
				u[i * s + j] = relaxed(u + i * s + j, s, f[(i - 1) * N + j - 1]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 2) * (N + 2);
	double *f = given_float64(0, N * N), *u = given_float64(1, n);
	MEASURE((double)(T * 2 * N * N), loops(T, N, f, u));
	result(u, n, sizeof *u);
	return finish();
}
