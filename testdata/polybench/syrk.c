// The loops of syrk.loop.
#include "peer.h"

static void loops(long M, long N, double (*restrict A)[M], double (*restrict C)[N]) {
	const double alpha = 1.5, beta = 1.2;
	for (long i = 0; i < N; i++) {
		for (long j = 0; j <= i; j++)
			C[i][j] *= beta;
		for (long k = 0; k < M; k++)
			for (long j = 0; j <= i; j++)
				C[i][j] += alpha * A[i][k] * A[j][k];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 20), N = number("N", 30);
	double (*A)[M] = (void *)given_float64(0, N * M);
	double (*C)[N] = (void *)given_float64(1, N * N);
	MEASURE(0, loops(M, N, A, C));
	result(C, N * N, sizeof(double));
	return finish();
}
