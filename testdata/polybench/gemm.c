// The loops of gemm.loop.
#include "peer.h"

static void loops(long NI, long NJ, long NK, double (*restrict A)[NK], double (*restrict B)[NJ], double (*restrict C)[NJ]) {
	const double alpha = 1.5, beta = 1.2;
	for (long i = 0; i < NI; i++) {
		for (long j = 0; j < NJ; j++)
			C[i][j] *= beta;
		for (long k = 0; k < NK; k++)
			for (long j = 0; j < NJ; j++)
				C[i][j] += alpha * A[i][k] * B[k][j];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long NI = number("NI", 20), NJ = number("NJ", 25), NK = number("NK", 30);
	double (*A)[NK] = (void *)given_float64(0, NI * NK);
	double (*B)[NJ] = (void *)given_float64(1, NK * NJ);
	double (*C)[NJ] = (void *)given_float64(2, NI * NJ);
	MEASURE(0, loops(NI, NJ, NK, A, B, C));
	result(C, NI * NJ, sizeof(double));
	return finish();
}
