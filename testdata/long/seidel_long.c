// The nest of seidel_long.loop.
#include "peer.h"

static void loops(long T, long N, double *restrict u) {
	long s = N + 2;
	for (long t = 0; t < T; t++)
		for (long i = 1; i <= N; i++) {
			double *restrict m = u + i * s;
			for (long j = 1; j <= N; j++)
				m[j] = 0.25 * (m[j - s] + m[j - 1] + m[j + s] + m[j + 1]);
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 1000), N = number("N", 100), n = (N + 2) * (N + 2);
	double *u = given_float64(0, n);
	MEASURE((double)(T * N * N), loops(T, N, u));
	result(u, n, sizeof *u);
	return finish();
}
