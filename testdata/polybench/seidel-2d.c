// The loops of seidel-2d.loop.
#include "peer.h"

static void loops(long TSTEPS, long N, double (*restrict A)[N]) {
	for (long t = 0; t <= TSTEPS - 1; t++)
		for (long i = 1; i <= N - 2; i++)
			for (long j = 1; j <= N - 2; j++)
				A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}

int main(int argc, char **argv) {
	start(argc, argv);
	long TSTEPS = number("TSTEPS", 20), N = number("N", 40);
	double (*A)[N] = (void *)given_float64(0, N * N);
	MEASURE(0, loops(TSTEPS, N, A));
	result(A, N * N, sizeof(double));
	return finish();
}
