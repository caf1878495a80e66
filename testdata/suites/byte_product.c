// The nest of byte_product.loop.
#include "peer.h"

static void loops(long N, const uint8_t *restrict A, const uint8_t *restrict B, int32_t *restrict C) {
	for (long i = 0; i < N; i++)
		for (long k = 0; k < N; k++) {
			int32_t a = A[i * N + k];
			for (long j = 0; j < N; j++)
				C[i * N + j] = C[i * N + j] + a * B[k * N + j];
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 300);
	uint8_t *A = given_uint8(0, N * N), *B = given_uint8(1, N * N);
	int32_t *C = given_int32(2, N * N);
	MEASURE((double)(N * N * N), loops(N, A, B, C));
	result(C, N * N, sizeof *C);
	return finish();
}
