// The loops of jacobi-2d.loop.
#include "peer.h"

static void loops(long TSTEPS, long N, double (*restrict A)[N], double (*restrict B)[N]) {
	for (long t = 0; t < TSTEPS; t++) {
		for (long i = 1; i < N - 1; i++)
			for (long j = 1; j < N - 1; j++)
				B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
		for (long i = 1; i < N - 1; i++)
			for (long j = 1; j < N - 1; j++)
				A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long TSTEPS = number("TSTEPS", 20), N = number("N", 30);
	double (*A)[N] = (void *)given_float64(0, N * N);
	double (*B)[N] = (void *)given_float64(1, N * N);
	MEASURE(0, loops(TSTEPS, N, A, B));
	result(A, N * N, sizeof(double));
	result(B, N * N, sizeof(double));
	return finish();
}
