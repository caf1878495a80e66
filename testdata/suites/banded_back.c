// The nest of banded_back.loop.
#include "peer.h"

static void loops(long N, long M, const double *restrict U, const double *restrict B, double *restrict X) {
	for (long i = N - 1; i >= 0; i--) {
		double d = 4.0 + U[4 * i], u1 = U[4 * i + 1], u2 = U[4 * i + 2], u3 = U[4 * i + 3];
		double *restrict x = X + i * M;
		for (long j = 0; j < M; j++)
			x[j] = (B[i * M + j] - u1 * x[j + M] - u2 * x[j + 2 * M] - u3 * x[j + 3 * M]) / d;
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 500), M = number("M", 500), n = (N + 3) * M;
	double *U = given_float64(0, 4 * N), *B = given_float64(1, N * M), *X = zeroed(n, sizeof *X);
	MEASURE((double)(N * M), loops(N, M, U, B, X));
	result(X, n, sizeof *X);
	return finish();
}
