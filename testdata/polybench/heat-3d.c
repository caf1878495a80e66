// The loops of heat-3d.loop.
#include "peer.h"

static void loops(long TSTEPS, long N, double (*restrict A)[N][N], double (*restrict B)[N][N]) {
	for (long t = 1; t <= TSTEPS; t++) {
		for (long i = 1; i < N - 1; i++)
			for (long j = 1; j < N - 1; j++)
				for (long k = 1; k < N - 1; k++)
					B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2 * A[i][j][k] + A[i - 1][j][k]) + 0.125 * (A[i][j + 1][k] - 2 * A[i][j][k] + A[i][j - 1][k]) + 0.125 * (A[i][j][k + 1] - 2 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
		for (long i = 1; i < N - 1; i++)
			for (long j = 1; j < N - 1; j++)
				for (long k = 1; k < N - 1; k++)
					A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2 * B[i][j][k] + B[i - 1][j][k]) + 0.125 * (B[i][j + 1][k] - 2 * B[i][j][k] + B[i][j - 1][k]) + 0.125 * (B[i][j][k + 1] - 2 * B[i][j][k] + B[i][j][k - 1]) + B[i][j][k];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long TSTEPS = number("TSTEPS", 20), N = number("N", 10);
	double (*A)[N][N] = (void *)given_float64(0, N * N * N);
	double (*B)[N][N] = (void *)given_float64(1, N * N * N);
	MEASURE(0, loops(TSTEPS, N, A, B));
	result(A, N * N * N, sizeof(double));
	result(B, N * N * N, sizeof(double));
	return finish();
}
