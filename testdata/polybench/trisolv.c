// The loops of trisolv.loop.
#include "peer.h"

static void loops(long N, double (*restrict L)[N], double *restrict x, double *restrict b) {
	for (long i = 0; i < N; i++) {
		x[i] = b[i];
		for (long j = 0; j < i; j++)
			x[i] -= L[i][j] * x[j];
		x[i] = x[i] / L[i][i];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 40);
	double (*L)[N] = (void *)given_float64(0, N * N);
	double *x = zeroed(N, sizeof(double));
	double *b = given_float64(2, N);
	for (long i = 0; i < N; i++)
		L[i][i] += (double)N; // results stay small
	supplied("L", L, N, N, "f8", sizeof(double));
	MEASURE(0, loops(N, L, x, b));
	result(x, N, sizeof(double));
	return finish();
}
