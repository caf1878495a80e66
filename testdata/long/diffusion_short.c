// The nest of diffusion_short.loop.
#include "peer.h"

static void level(long N, const double *restrict u, double *restrict v) {
	long s = N + 2;
	for (long i = 1; i <= N; i++) {
		const double *restrict m = u + i * s;
		for (long j = 1; j <= N; j++)
			v[i * s + j] = 0.5 * m[j] + 0.125 * (m[j - s] + m[j + s] + m[j - 1] + m[j + 1]);
	}
}

static void loops(long T, long N, double *u[2]) {
	for (long t = 0; t < T; t++)
		level(N, u[t % 2], u[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 1000), N = number("N", 20), n = (N + 2) * (N + 2);
	double *u[2] = {given_float64(0, n), given_float64(0, n)};
	MEASURE((double)(T * N * N), loops(T, N, u));
	result(u[T % 2], n, sizeof(double));
	return finish();
}
