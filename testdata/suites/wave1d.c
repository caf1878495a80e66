// The nest of wave1d.loop.
#include "peer.h"

static void part(long first, long last, double damp, const double *restrict c, const double *restrict u, double *restrict v) {
	for (long i = first; i <= last; i++) {
		double lap = -2.5 * u[i] + 1.25 * (u[i - 1] + u[i + 1]);
		double far = u[i - 2] + u[i + 2];
		v[i] = damp * (2.0 * u[i] - v[i] + 0.1 * c[i] * (lap - 0.0625 * far));
	}
}

static void level(long N, const double *restrict c, const double *restrict u, double *restrict v) {
	long a = least(19, N + 1), b = most(a, least(N + 1, N - 18));
	part(2, a, 0.9, c, u, v);
	part(a + 1, b, 0.99, c, u, v);
	part(b + 1, N + 1, 0.9, c, u, v);
}

static void loops(long T, long N, const double *c, double *u[2]) {
	for (long t = 0; t < T; t++)
		level(N, c, u[t % 2], u[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 1000), N = number("N", 100000);
	double *c = given_float64(0, N + 4), *u[2] = {given_float64(1, N + 4), given_float64(1, N + 4)};
	MEASURE((double)(T * N), loops(T, N, c, u));
	result(u[T % 2], N + 4, sizeof(double));
	return finish();
}
