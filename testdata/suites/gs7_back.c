// The nest of gs7_back.loop.
#include "peer.h"

static void loops(long T, long N, double *restrict u) {
	long s = N + 2, p = s * s;
	for (long t = 0; t < T; t++)
		for (long i = N; i >= 1; i--)
			for (long j = N; j >= 1; j--) {
				double *restrict m = u + i * p + j * s;
				for (long k = N; k >= 1; k--)
					m[k] = (m[k - p] + m[k + p] + m[k - s] + m[k + s] + m[k - 1] + m[k + 1]) / 6.0;
			}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 100), n = (N + 2) * (N + 2) * (N + 2);
	double *u = given_float64(0, n);
	MEASURE((double)(T * N * N * N), loops(T, N, u));
	result(u, n, sizeof *u);
	return finish();
}
