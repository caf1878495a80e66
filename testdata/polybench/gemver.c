// The loops of gemver.loop.
#include "peer.h"

static void loops(long N, double (*restrict A)[N], double *restrict u1, double *restrict v1, double *restrict u2, double *restrict v2, double *restrict w, double *restrict x, double *restrict y, double *restrict z) {
	const double alpha = 1.5, beta = 1.2;
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++)
			A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++)
			x[i] = x[i] + beta * A[j][i] * y[j];
	for (long i = 0; i < N; i++)
		x[i] = x[i] + z[i];
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++)
			w[i] = w[i] + alpha * A[i][j] * x[j];
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 40);
	double (*A)[N] = (void *)given_float64(0, N * N);
	double *u1 = given_float64(1, N);
	double *v1 = given_float64(2, N);
	double *u2 = given_float64(3, N);
	double *v2 = given_float64(4, N);
	double *w = given_float64(5, N);
	double *x = given_float64(6, N);
	double *y = given_float64(7, N);
	double *z = given_float64(8, N);
	MEASURE(0, loops(N, A, u1, v1, u2, v2, w, x, y, z));
	result(A, N * N, sizeof(double));
	result(w, N, sizeof(double));
	result(x, N, sizeof(double));
	return finish();
}
