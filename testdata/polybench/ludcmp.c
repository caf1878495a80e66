// The loops of ludcmp.loop.
#include "peer.h"

static void loops(long N, double (*restrict A)[N], double *restrict b, double *restrict x, double *restrict y) {
	for (long i = 0; i < N; i++) {
		for (long j = 0; j < i; j++) {
			double w = A[i][j];
			for (long k = 0; k < j; k++)
				w -= A[i][k] * A[k][j];
			A[i][j] = w / A[j][j];
		}
		for (long j = i; j < N; j++) {
			double w = A[i][j];
			for (long k = 0; k < i; k++)
				w -= A[i][k] * A[k][j];
			A[i][j] = w;
		}
	}
	for (long i = 0; i < N; i++) {
		double w = b[i];
		for (long j = 0; j < i; j++)
			w -= A[i][j] * y[j];
		y[i] = w;
	}
	for (long i = N - 1; i >= 0; i--) {
		double w = y[i];
		for (long j = i + 1; j < N; j++)
			w -= A[i][j] * x[j];
		x[i] = w / A[i][i];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 40);
	double (*A)[N] = (void *)given_float64(0, N * N);
	double *b = given_float64(1, N);
	double *x = zeroed(N, sizeof(double));
	double *y = zeroed(N, sizeof(double));
	for (long i = 0; i < N; i++)
		A[i][i] += (double)N; // no pivot is needed
	supplied("A", A, N, N, "f8", sizeof(double));
	MEASURE(0, loops(N, A, b, x, y));
	result(A, N * N, sizeof(double));
	result(x, N, sizeof(double));
	result(y, N, sizeof(double));
	return finish();
}
