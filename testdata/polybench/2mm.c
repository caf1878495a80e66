// The loops of 2mm.loop.
#include "peer.h"

static void loops(long NI, long NJ, long NK, long NL, double (*restrict tmp)[NJ], double (*restrict A)[NK], double (*restrict B)[NJ], double (*restrict C)[NL], double (*restrict D)[NL]) {
	const double alpha = 1.5, beta = 1.2;
	for (long i = 0; i < NI; i++)
		for (long j = 0; j < NJ; j++) {
			tmp[i][j] = 0;
			for (long k = 0; k < NK; k++)
				tmp[i][j] += alpha * A[i][k] * B[k][j];
		}
	for (long i = 0; i < NI; i++)
		for (long j = 0; j < NL; j++) {
			D[i][j] *= beta;
			for (long k = 0; k < NJ; k++)
				D[i][j] += tmp[i][k] * C[k][j];
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long NI = number("NI", 16), NJ = number("NJ", 18), NK = number("NK", 22), NL = number("NL", 24);
	double (*tmp)[NJ] = zeroed(NI * NJ, sizeof(double));
	double (*A)[NK] = (void *)given_float64(1, NI * NK);
	double (*B)[NJ] = (void *)given_float64(2, NK * NJ);
	double (*C)[NL] = (void *)given_float64(3, NJ * NL);
	double (*D)[NL] = (void *)given_float64(4, NI * NL);
	MEASURE(0, loops(NI, NJ, NK, NL, tmp, A, B, C, D));
	result(D, NI * NL, sizeof(double));
	return finish();
}
