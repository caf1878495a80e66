// The loops of cholesky.loop.
#include "peer.h"
#include <math.h>

static void loops(long N, double (*restrict A)[N]) {
	for (long i = 0; i < N; i++) {
		for (long j = 0; j < i; j++) {
			for (long k = 0; k < j; k++)
				A[i][j] -= A[i][k] * A[j][k];
			A[i][j] /= A[j][j];
		}
		for (long k = 0; k < i; k++)
			A[i][i] -= A[i][k] * A[i][k];
		A[i][i] = sqrt(A[i][i]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 40);
	double (*A)[N] = (void *)given_float64(0, N * N);
	for (long i = 0; i < N; i++)
		A[i][i] += (double)N; // positive definite
	supplied("A", A, N, N, "f8", sizeof(double));
	MEASURE(0, loops(N, A));
	result(A, N * N, sizeof(double));
	return finish();
}
