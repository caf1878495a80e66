// The nest of elastic.loop.
#include "peer.h"

static void loops(long T, long N, const float *restrict rho, const float *restrict mu, float *restrict vx, float *restrict vy, float *restrict sxx, float *restrict syy, float *restrict sxy) {
	long s = N + 1;
	for (long t = 0; t < T; t++)
		for (long i = 1; i <= N; i++)
			for (long k = i * s + 1; k <= i * s + N; k++) {
				vx[k] = vx[k] + 0.1f * rho[k] * (sxx[k] - sxx[k - s] + sxy[k] - sxy[k - 1]);
				vy[k] = vy[k] + 0.1f * rho[k] * (sxy[k] - sxy[k - s] + syy[k] - syy[k - 1]);
				float dx = vx[k] - vx[k - s], dy = vy[k] - vy[k - 1];
				long c = k - s - 1;
				sxx[c] = sxx[c] + 0.1f * (3.0f * mu[k] * dx + mu[k] * dy);
				syy[c] = syy[c] + 0.1f * (mu[k] * dx + 3.0f * mu[k] * dy);
				sxy[c] = sxy[c] + 0.1f * mu[k] * (vx[k] - vx[k - 1] + vy[k] - vy[k - s]);
			}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 1) * (N + 1);
	float *f[7];
	for (int k = 0; k < 7; k++)
		f[k] = given_float32(k, n);
	MEASURE((double)(T * N * N), loops(T, N, f[0], f[1], f[2], f[3], f[4], f[5], f[6]));
	for (int k = 2; k < 7; k++)
		result(f[k], n, sizeof(float));
	return finish();
}
