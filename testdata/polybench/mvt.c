// The loops of mvt.loop.
#include "peer.h"

static void loops(long N, double *restrict x1, double *restrict x2, double *restrict y1, double *restrict y2, double (*restrict A)[N]) {
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++)
			x1[i] = x1[i] + A[i][j] * y1[j];
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++)
			x2[i] = x2[i] + A[j][i] * y2[j];
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 40);
	double *x1 = given_float64(0, N);
	double *x2 = given_float64(1, N);
	double *y1 = given_float64(2, N);
	double *y2 = given_float64(3, N);
	double (*A)[N] = (void *)given_float64(4, N * N);
	MEASURE(0, loops(N, x1, x2, y1, y2, A));
	result(x1, N, sizeof(double));
	result(x2, N, sizeof(double));
	return finish();
}
