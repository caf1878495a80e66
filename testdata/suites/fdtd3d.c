// The nest of fdtd3d.loop.
#include "peer.h"

static void loops(long T, long N, float *restrict ex, float *restrict ey, float *restrict ez, float *restrict hx, float *restrict hy, float *restrict hz) {
	long s = N + 1, p = s * s;
	for (long t = 1; t <= T; t++)
		for (long i = 1; i <= N; i++)
			for (long j = 1; j <= N; j++) {
				long r = i * p + j * s;
				for (long k = 1, c = r + 1; k <= N; k++, c++) {
					ex[c] = ex[c] + 0.3f * (hz[c] - hz[c - s] - hy[c] + hy[c - 1]);
					ey[c] = ey[c] + 0.3f * (hx[c] - hx[c - 1] - hz[c] + hz[c - p]);
					ez[c] = ez[c] + 0.3f * (hy[c] - hy[c - p] - hx[c] + hx[c - s]) + (i == 4 && j == 5 && k == 6 ? 0.1f * (float)t : 0.0f);
					hx[c - s - 1] = hx[c - s - 1] + 0.3f * (ey[c - s] - ey[c - s - 1] - ez[c - 1] + ez[c - s - 1]);
					hy[c - p - 1] = hy[c - p - 1] + 0.3f * (ez[c - 1] - ez[c - p - 1] - ex[c - p] + ex[c - p - 1]);
					hz[c - p - s] = hz[c - p - s] + 0.3f * (ex[c - p] - ex[c - p - s] - ey[c - s] + ey[c - p - s]);
				}
			}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 60), n = (N + 1) * (N + 1) * (N + 1);
	float *f[6];
	for (int k = 0; k < 6; k++)
		f[k] = given_float32(k, n);
	MEASURE((double)(T * N * N * N), loops(T, N, f[0], f[1], f[2], f[3], f[4], f[5]));
	for (int k = 0; k < 6; k++)
		result(f[k], n, sizeof(float));
	return finish();
}
