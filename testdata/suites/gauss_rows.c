// The nests of gauss_rows.loop. One row of the first is kept.
#include "peer.h"

static void loops(long M, long N, const float *restrict x, float *restrict row, float *restrict y) {
	const float b = 0.2f, c1 = 1.2f, c2 = -0.5f, c3 = 0.1f;
	float *restrict w = row + 2;
	for (long i = 0; i < M; i++) {
		const float *restrict a = x + i * N - 1;
		float *restrict r = y + i * (N + 3) - 1;
		for (long j = 1; j <= N; j++)
			w[j] = b * a[j] + c1 * w[j - 1] + c2 * w[j - 2] + c3 * w[j - 3];
		for (long j = N; j >= 1; j--)
			r[j] = b * w[j] + c1 * r[j + 1] + c2 * r[j + 2] + c3 * r[j + 3];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000), n = M * (N + 3);
	float *x = given_float32(0, M * N), *w = zeroed(N + 3, sizeof *w), *y = zeroed(n, sizeof *y);
	MEASURE((double)(2 * M * N), loops(M, N, x, w, y));
	result(y, n, sizeof *y);
	return finish();
}
