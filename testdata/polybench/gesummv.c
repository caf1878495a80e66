// The loops of gesummv.loop.
#include "peer.h"

static void loops(long N, double (*restrict A)[N], double (*restrict B)[N], double *restrict tmp, double *restrict x, double *restrict y) {
	const double alpha = 1.5, beta = 1.2;
	for (long i = 0; i < N; i++) {
		tmp[i] = 0;
		y[i] = 0;
		for (long j = 0; j < N; j++) {
			tmp[i] = A[i][j] * x[j] + tmp[i];
			y[i] = B[i][j] * x[j] + y[i];
		}
		y[i] = alpha * tmp[i] + beta * y[i];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 30);
	double (*A)[N] = (void *)given_float64(0, N * N);
	double (*B)[N] = (void *)given_float64(1, N * N);
	double *tmp = zeroed(N, sizeof(double));
	double *x = given_float64(3, N);
	double *y = zeroed(N, sizeof(double));
	MEASURE(0, loops(N, A, B, tmp, x, y));
	result(y, N, sizeof(double));
	return finish();
}
