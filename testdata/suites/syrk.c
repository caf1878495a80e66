// The nest of syrk.loop.
#include "peer.h"

static void loops(long N, long K, const double *restrict A, double *restrict C) {
	for (long i = 0; i < N; i++)
		for (long j = 0; j <= i; j++) {
			const double *restrict a = A + i * K, *restrict b = A + j * K;
			double sum = C[i * N + j];
			for (long k = 0; k < K; k++)
				sum = sum + a[k] * b[k];
			C[i * N + j] = sum;
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 300), K = number("K", 300);
	double *A = given_float64(0, N * K), *C = given_float64(1, N * N);
	MEASURE((double)(N * (N + 1) / 2 * K), loops(N, K, A, C));
	result(C, N * N, sizeof *C);
	return finish();
}
