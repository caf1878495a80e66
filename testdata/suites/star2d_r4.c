// The nest of star2d_r4.loop.
#include "peer.h"

static void level(long N, const double *restrict u, double *restrict v) {
	long s = N + 8;
	for (long i = 4; i <= N + 3; i++) {
		const double *restrict m = u + i * s;
		for (long j = 4; j <= N + 3; j++)
			v[i * s + j] = 0.2 * m[j] + 0.1 * (m[j - s] + m[j + s] + m[j - 1] + m[j + 1]) + 0.05 * (m[j - 2 * s] + m[j + 2 * s] + m[j - 2] + m[j + 2]) + 0.03 * (m[j - 3 * s] + m[j + 3 * s] + m[j - 3] + m[j + 3]) + 0.02 * (m[j - 4 * s] + m[j + 4 * s] + m[j - 4] + m[j + 4]);
	}
}

static void loops(long T, long N, double *u, double *v) {
	for (long t = 0; t < T; t++)
		if (t % 2 == 0)
			level(N, u, v);
		else
			level(N, v, u);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 8) * (N + 8);
	double *u = given_float64(0, n), *v = given_float64(0, n);
	MEASURE((double)(T * N * N), loops(T, N, u, v));
	result(T % 2 == 0 ? u : v, n, sizeof *u);
	return finish();
}
