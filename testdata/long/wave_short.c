// The nest of wave_short.loop.
#include "peer.h"

static void level(long N, const double *restrict u, double *restrict v) {
	for (long i = 1; i <= N; i++)
		v[i] = 1.8 * u[i] - v[i] + 0.1 * (u[i - 1] + u[i + 1]);
}

static void loops(long T, long N, double *u[2]) {
	for (long t = 0; t < T; t++)
		level(N, u[t % 2], u[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 1000), N = number("N", 100);
	double *u[2] = {given_float64(0, N + 2), given_float64(0, N + 2)};
	MEASURE((double)(T * N), loops(T, N, u));
	result(u[T % 2], N + 2, sizeof(double));
	return finish();
}
