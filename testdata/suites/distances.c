// The nest of distances.loop.
#include "peer.h"

static void loops(long N, long K, const float *restrict x, const float *restrict y, float *restrict D) {
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++) {
			const float *restrict a = x + i * K, *restrict b = y + j * K;
			float sum = D[i * N + j];
			for (long k = 0; k < K; k++)
				sum = sum + (a[k] - b[k]) * (a[k] - b[k]);
			D[i * N + j] = sum;
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 400), K = number("K", 64);
	float *x = given_float32(0, N * K), *y = given_float32(1, N * K), *D = zeroed(N * N, sizeof *D);
	MEASURE((double)(N * N * K), loops(N, K, x, y, D));
	result(D, N * N, sizeof *D);
	return finish();
}
