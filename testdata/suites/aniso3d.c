// The nest of aniso3d.loop.
#include "peer.h"

static void level(long N, const double *restrict kx, const double *restrict ky, const double *restrict kz, const double *restrict u, double *restrict v) {
	long s = N + 2, p = s * s;
	for (long i = 1; i <= N; i++)
		for (long j = 1; j <= N; j++) {
			long r = i * p + j * s;
			for (long k = r + 1; k <= r + N; k++) {
				double fx = kx[k] * (u[k - p] - u[k]) + kx[k + p] * (u[k + p] - u[k]);
				double fy = ky[k] * (u[k - s] - u[k]) + ky[k + s] * (u[k + s] - u[k]);
				double fz = kz[k] * (u[k - 1] - u[k]) + kz[k + 1] * (u[k + 1] - u[k]);
				v[k] = u[k] + 0.1 * (fx + fy + fz);
			}
		}
}

static void loops(long T, long N, const double *kx, const double *ky, const double *kz, double *u[2]) {
	for (long t = 0; t < T; t++)
		level(N, kx, ky, kz, u[t % 2], u[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 100), n = (N + 2) * (N + 2) * (N + 2);
	double *kx = given_float64(0, n), *ky = given_float64(1, n), *kz = given_float64(2, n), *u[2] = {given_float64(3, n), given_float64(3, n)};
	MEASURE((double)(T * N * N * N), loops(T, N, kx, ky, kz, u));
	result(u[T % 2], n, sizeof(double));
	return finish();
}
