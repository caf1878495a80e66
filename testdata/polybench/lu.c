// The loops of lu.loop.
#include "peer.h"

static void loops(long N, double (*restrict A)[N]) {
	for (long i = 0; i < N; i++) {
		for (long j = 0; j < i; j++) {
			for (long k = 0; k < j; k++)
				A[i][j] -= A[i][k] * A[k][j];
			A[i][j] /= A[j][j];
		}
		for (long j = i; j < N; j++)
			for (long k = 0; k < i; k++)
				A[i][j] -= A[i][k] * A[k][j];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 40);
	double (*A)[N] = (void *)given_float64(0, N * N);
	for (long i = 0; i < N; i++)
		A[i][i] += (double)N; // no pivot is needed
	supplied("A", A, N, N, "f8", sizeof(double));
	MEASURE(0, loops(N, A));
	result(A, N * N, sizeof(double));
	return finish();
}
