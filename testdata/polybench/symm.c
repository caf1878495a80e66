// The loops of symm.loop.
#include "peer.h"

static void loops(long M, long N, double (*restrict A)[M], double (*restrict B)[N], double (*restrict C)[N]) {
	const double alpha = 1.5, beta = 1.2;
	for (long i = 0; i < M; i++)
		for (long j = 0; j < N; j++) {
			double temp2 = 0;
			for (long k = 0; k < i; k++) {
				C[k][j] += alpha * B[i][j] * A[i][k];
				temp2 += B[k][j] * A[i][k];
			}
			C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 20), N = number("N", 30);
	double (*A)[M] = (void *)given_float64(0, M * M);
	double (*B)[N] = (void *)given_float64(1, M * N);
	double (*C)[N] = (void *)given_float64(2, M * N);
	MEASURE(0, loops(M, N, A, B, C));
	result(C, M * N, sizeof(double));
	return finish();
}
