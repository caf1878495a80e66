// The nest of min_plus.loop.
#include "peer.h"

static void loops(long N, const float *restrict A, const float *restrict B, float *restrict C) {
	for (long i = 0; i < N; i++)
		for (long k = 0; k < N; k++) {
			float a = A[i * N + k];
			for (long j = 0; j < N; j++) {
				float way = a + B[k * N + j], old = C[i * N + j];
				C[i * N + j] = old < way ? old : way;
			}
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 300);
	float *A = given_float32(0, N * N), *B = given_float32(1, N * N), *C = given_float32(2, N * N);
	MEASURE((double)(N * N * N), loops(N, A, B, C));
	result(C, N * N, sizeof *C);
	return finish();
}
