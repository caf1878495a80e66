// The nest of matmul.loop.
#include "peer.h"

static void loops(long N, const double *restrict A, const double *restrict B, double *restrict C) {
	for (long i = 0; i < N; i++)
		for (long k = 0; k < N; k++) {
			double a = A[i * N + k];
			for (long j = 0; j < N; j++)
				C[i * N + j] = C[i * N + j] + a * B[k * N + j];
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
