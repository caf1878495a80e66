// The nest of fitzhugh.loop.
#include "peer.h"

static void level(long t, long N, const double *restrict a, const double *restrict v, const double *restrict w, double *restrict v1, double *restrict w1) {
	long s = N + 2;
	for (long i = 1; i <= N; i++) {
		const double *restrict m = v + i * s, *restrict b = a + (i - 1) * N - 1;
		double stimulus = t < 4 && i < 10 ? 0.5 : 0.0;
		for (long j = 1; j <= N; j++) {
			double x = m[j], lap = m[j - s] + m[j + s] + m[j - 1] + m[j + 1] - 4.0 * x;
			v1[i * s + j] = x + 0.05 * (x * (1.0 - x) * (x - b[j]) - w[i * s + j] + stimulus) + 0.1 * lap;
			w1[i * s + j] = w[i * s + j] + 0.01 * (0.5 * x - w[i * s + j]);
		}
	}
}

static void loops(long T, long N, const double *a, double *v[2], double *w[2]) {
	for (long t = 1; t <= T; t++)
		level(t, N, a, v[(t - 1) % 2], w[(t - 1) % 2], v[t % 2], w[t % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 2) * (N + 2);
	double *a = given_float64(0, N * N), *v[2] = {given_float64(1, n), given_float64(1, n)}, *w[2] = {zeroed(n, sizeof(double)), zeroed(n, sizeof(double))};
	MEASURE((double)(T * N * N), loops(T, N, a, v, w));
	result(v[T % 2], n, sizeof(double));
	result(w[T % 2], n, sizeof(double));
	return finish();
}
