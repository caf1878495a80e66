// The nest of star3d_r2.loop.
#include "peer.h"

static void level(long N, const double *restrict u, double *restrict v) {
	long s = N + 4, p = s * s;
	for (long i = 2; i <= N + 1; i++) {
		double source = 0.001 * (double)i;
		for (long j = 2; j <= N + 1; j++) {
			const double *restrict m = u + i * p + j * s;
			double *restrict o = v + i * p + j * s;
			for (long k = 2; k <= N + 1; k++) {
				double near = m[k - p] + m[k + p] + m[k - s] + m[k + s] + m[k - 1] + m[k + 1];
				double far = m[k - 2 * p] + m[k + 2 * p] + m[k - 2 * s] + m[k + 2 * s] + m[k - 2] + m[k + 2];
				o[k] = 0.25 * m[k] + 0.15 * near - 0.025 * far + source;
			}
		}
	}
}

static void loops(long T, long N, double *u[2]) {
	for (long t = 0; t < T; t++)
		level(N, u[t % 2], u[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 100), n = (N + 4) * (N + 4) * (N + 4);
	double *u[2] = {given_float64(0, n), given_float64(0, n)};
	MEASURE((double)(T * N * N * N), loops(T, N, u));
	result(u[T % 2], n, sizeof(double));
	return finish();
}
