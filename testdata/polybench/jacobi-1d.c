// The loops of jacobi-1d.loop.
#include "peer.h"

static void loops(long TSTEPS, long N, double *restrict A, double *restrict B) {
	for (long t = 0; t < TSTEPS; t++) {
		for (long i = 1; i < N - 1; i++)
			B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
		for (long i = 1; i < N - 1; i++)
			A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long TSTEPS = number("TSTEPS", 20), N = number("N", 30);
	double *A = given_float64(0, N);
	double *B = given_float64(1, N);
	MEASURE(0, loops(TSTEPS, N, A, B));
	result(A, N, sizeof(double));
	result(B, N, sizeof(double));
	return finish();
}
