// The nest of sweep_corner.loop.
#include "peer.h"

static void loops(long L, long N, const float *restrict a, const float *restrict b, float *restrict c) {
	long s = N + 1, p = s * s;
	for (long l = 1; l <= L; l++)
		for (long i = 1; i <= N; i++) {
			const float *restrict x = a + (i - 1) * N, *restrict y = b + (i - 1) * N;
			float *restrict m = c + l * p + i * s;
			for (long j = N - 1; j >= 0; j--)
				m[j] = m[j - p] * (1.0f - x[j] - 0.5f * y[j]) + x[j] * m[j - s] + 0.5f * y[j] * m[j + 1];
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long L = number("L", 20), N = number("N", 300), s = N + 1, n = (L + 1) * s * s;
	float *a = given_float32(0, N * N), *b = given_float32(1, N * N), *c = kept(n, sizeof *c);
	for (long k = 0; k < n; k++)
		c[k] = 0.01f * ((float)(k / s % s) + (float)(k % s + 1));
	MEASURE((double)(L * N * N), loops(L, N, a, b, c));
	result(c, n, sizeof *c);
	return finish();
}
