// The nest of iir_rows.loop.
#include "peer.h"

static void loops(long M, long N, const float *restrict x, float *restrict y) {
	for (long i = 0; i < M; i++) {
		const float *restrict a = x + i * (N + 2) + 1;
		float *restrict b = y + i * (N + 2) + 1;
		for (long n = 1; n <= N; n++)
			b[n] = 0.2f * a[n] + 0.4f * a[n - 1] + 0.2f * a[n - 2] + 0.5f * b[n - 1] + -0.3f * b[n - 2];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000), n = M * (N + 2);
	float *x = given_float32(0, n), *y = zeroed(n, sizeof *y);
	MEASURE((double)(M * N), loops(M, N, x, y));
	result(y, n, sizeof *y);
	return finish();
}
