// The loops of 3mm.loop.
#include "peer.h"

static void loops(long NI, long NJ, long NK, long NL, long NM, double (*restrict E)[NJ], double (*restrict A)[NK], double (*restrict B)[NJ], double (*restrict F)[NL], double (*restrict C)[NM], double (*restrict D)[NL], double (*restrict G)[NL]) {
	for (long i = 0; i < NI; i++)
		for (long j = 0; j < NJ; j++) {
			E[i][j] = 0;
			for (long k = 0; k < NK; k++)
				E[i][j] += A[i][k] * B[k][j];
		}
	for (long i = 0; i < NJ; i++)
		for (long j = 0; j < NL; j++) {
			F[i][j] = 0;
			for (long k = 0; k < NM; k++)
				F[i][j] += C[i][k] * D[k][j];
		}
	for (long i = 0; i < NI; i++)
		for (long j = 0; j < NL; j++) {
			G[i][j] = 0;
			for (long k = 0; k < NJ; k++)
				G[i][j] += E[i][k] * F[k][j];
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long NI = number("NI", 16), NJ = number("NJ", 18), NK = number("NK", 20), NL = number("NL", 22), NM = number("NM", 24);
	double (*E)[NJ] = zeroed(NI * NJ, sizeof(double));
	double (*A)[NK] = (void *)given_float64(1, NI * NK);
	double (*B)[NJ] = (void *)given_float64(2, NK * NJ);
	double (*F)[NL] = zeroed(NJ * NL, sizeof(double));
	double (*C)[NM] = (void *)given_float64(4, NJ * NM);
	double (*D)[NL] = (void *)given_float64(5, NM * NL);
	double (*G)[NL] = zeroed(NI * NL, sizeof(double));
	MEASURE(0, loops(NI, NJ, NK, NL, NM, E, A, B, F, C, D, G));
	result(G, NI * NL, sizeof(double));
	return finish();
}
