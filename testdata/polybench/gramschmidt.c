// The loops of gramschmidt.loop.
#include "peer.h"
#include <math.h>

static void loops(long M, long N, double (*restrict A)[N], double (*restrict R)[N], double (*restrict Q)[N]) {
	for (long k = 0; k < N; k++) {
		double nrm = 0;
		for (long i = 0; i < M; i++)
			nrm += A[i][k] * A[i][k];
		R[k][k] = sqrt(nrm);
		for (long i = 0; i < M; i++)
			Q[i][k] = A[i][k] / R[k][k];
		for (long j = k + 1; j < N; j++) {
			R[k][j] = 0;
			for (long i = 0; i < M; i++)
				R[k][j] += Q[i][k] * A[i][j];
			for (long i = 0; i < M; i++)
				A[i][j] = A[i][j] - Q[i][k] * R[k][j];
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 20), N = number("N", 30);
	double (*A)[N] = (void *)given_float64(0, M * N);
	double (*R)[N] = zeroed(N * N, sizeof(double));
	double (*Q)[N] = zeroed(M * N, sizeof(double));
	MEASURE(0, loops(M, N, A, R, Q));
	result(A, M * N, sizeof(double));
	result(R, N * N, sizeof(double));
	result(Q, M * N, sizeof(double));
	return finish();
}
