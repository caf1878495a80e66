// The nest of thomas_back.loop.
#include "peer.h"

static void loops(long M, long N, const double *restrict c, const double *restrict d, double *restrict x) {
	for (long i = 0; i < M; i++) {
		const double *restrict a = c + i * N, *restrict b = d + i * N;
		double *restrict y = x + i * (N + 1);
		for (long j = N - 1; j >= 0; j--)
			y[j] = b[j] - a[j] * y[j + 1];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 500), N = number("N", 500);
	double *c = given_float64(0, M * N), *d = given_float64(1, M * N), *x = zeroed(M * (N + 1), sizeof *x);
	MEASURE((double)(M * N), loops(M, N, c, d, x));
	result(x, M * (N + 1), sizeof *x);
	return finish();
}
