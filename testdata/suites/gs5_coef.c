// The nest of gs5_coef.loop.
#include "peer.h"

static void loops(long T, long N, const float *restrict west, const float *restrict east, const float *restrict north, const float *restrict south, const float *restrict f, float *restrict u) {
	long s = N + 2;
	for (long t = 0; t < T; t++)
		for (long i = 1; i <= N; i++) {
			float *restrict m = u + i * s;
			long r = (i - 1) * N - 1;
			for (long j = 1; j <= N; j++)
				m[j] = 0.25f * (north[r + j] * m[j - s] + south[r + j] * m[j + s] + west[r + j] * m[j - 1] + east[r + j] * m[j + 1] + f[r + j]);
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 2) * (N + 2);
	float *a[5];
	for (int k = 0; k < 5; k++)
		a[k] = given_float32(k, N * N);
	float *u = given_float32(5, n);
	MEASURE((double)(T * N * N), loops(T, N, a[0], a[1], a[2], a[3], a[4], u));
	result(u, n, sizeof *u);
	return finish();
}
