// The loops of trmm.loop.
#include "peer.h"

static void loops(long M, long N, double (*restrict A)[M], double (*restrict B)[N]) {
	const double alpha = 1.5;
	for (long i = 0; i < M; i++)
		for (long j = 0; j < N; j++) {
			for (long k = i + 1; k < M; k++)
				B[i][j] += A[k][i] * B[k][j];
			B[i][j] = alpha * B[i][j];
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 20), N = number("N", 30);
	double (*A)[M] = (void *)given_float64(0, M * M);
	double (*B)[N] = (void *)given_float64(1, M * N);
	MEASURE(0, loops(M, N, A, B));
	result(B, M * N, sizeof(double));
	return finish();
}
