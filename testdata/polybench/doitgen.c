// The loops of doitgen.loop.
#include "peer.h"

static void loops(long NR, long NQ, long NP, double (*restrict A)[NQ][NP], double (*restrict C4)[NP], double *restrict sum) {
	for (long r = 0; r < NR; r++)
		for (long q = 0; q < NQ; q++) {
			for (long p = 0; p < NP; p++) {
				sum[p] = 0;
				for (long s = 0; s < NP; s++)
					sum[p] += A[r][q][s] * C4[s][p];
			}
			for (long p = 0; p < NP; p++)
				A[r][q][p] = sum[p];
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long NR = number("NR", 10), NQ = number("NQ", 8), NP = number("NP", 12);
	double (*A)[NQ][NP] = (void *)given_float64(0, NR * NQ * NP);
	double (*C4)[NP] = (void *)given_float64(1, NP * NP);
	double *sum = zeroed(NP, sizeof(double));
	MEASURE(0, loops(NR, NQ, NP, A, C4, sum));
	result(A, NR * NQ * NP, sizeof(double));
	return finish();
}
