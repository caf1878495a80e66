// The nest of matmul_dot.loop.
#include "peer.h"

static void loops(long N, const double *restrict A, const double *restrict B, double *restrict C) {
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++) {
			double sum = C[i * N + j];
			for (long k = 0; k < N; k++)
				sum = sum + A[i * N + k] * B[k * N + j];
			C[i * N + j] = sum;
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 300);
	double *A = given_float64(0, N * N), *B = given_float64(1, N * N), *C = given_float64(2, N * N);
	MEASURE((double)(N * N * N), loops(N, A, B, C));
	result(C, N * N, sizeof *C);
	return finish();
}
