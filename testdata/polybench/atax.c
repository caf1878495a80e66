// The loops of atax.loop.
#include "peer.h"

static void loops(long M, long N, double (*restrict A)[N], double *restrict x, double *restrict y, double *restrict tmp) {
	for (long i = 0; i < N; i++)
		y[i] = 0;
	for (long i = 0; i < M; i++) {
		tmp[i] = 0;
		for (long j = 0; j < N; j++)
			tmp[i] = tmp[i] + A[i][j] * x[j];
		for (long j = 0; j < N; j++)
			y[j] = y[j] + A[i][j] * tmp[i];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 38), N = number("N", 42);
	double (*A)[N] = (void *)given_float64(0, M * N);
	double *x = given_float64(1, N);
	double *y = zeroed(N, sizeof(double));
	double *tmp = zeroed(M, sizeof(double));
	MEASURE(0, loops(M, N, A, x, y, tmp));
	result(y, N, sizeof(double));
	return finish();
}
