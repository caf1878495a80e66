// The nest of shallow.loop.
#include "peer.h"

static void level(long N, const double *restrict h, const double *restrict p, const double *restrict q, double *restrict h1, double *restrict p1, double *restrict q1) {
	const double c = 0.1, g = 0.5;
	long s = N + 2;
	for (long i = 1; i <= N; i++)
		for (long k = i * s + 1; k <= i * s + N; k++) {
			double hn = h[k - s], hs = h[k + s], hw = h[k - 1], he = h[k + 1];
			h1[k] = 0.25 * (hn + hs + hw + he) - c * (p[k + s] - p[k - s] + q[k + 1] - q[k - 1]);
			double fs = p[k + s] * p[k + s] / hs + g * hs * hs, fn = p[k - s] * p[k - s] / hn + g * hn * hn;
			double fe = p[k + 1] * q[k + 1] / he, fw = p[k - 1] * q[k - 1] / hw;
			p1[k] = 0.25 * (p[k - s] + p[k + s] + p[k - 1] + p[k + 1]) - c * (fs - fn + fe - fw);
			double gs = p[k + s] * q[k + s] / hs, gn = p[k - s] * q[k - s] / hn;
			double ge = q[k + 1] * q[k + 1] / he + g * he * he, gw = q[k - 1] * q[k - 1] / hw + g * hw * hw;
			q1[k] = 0.25 * (q[k - s] + q[k + s] + q[k - 1] + q[k + 1]) - c * (gs - gn + ge - gw);
		}
}

static void loops(long T, long N, double *h[2], double *p[2], double *q[2]) {
	for (long t = 0; t < T; t++) {
		long a = t % 2, b = 1 - a;
		level(N, h[a], p[a], q[a], h[b], p[b], q[b]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 2) * (N + 2);
	double *h[2], *p[2], *q[2];
	for (int l = 0; l < 2; l++) {
		h[l] = given_float64(0, n), p[l] = given_float64(1, n), q[l] = given_float64(2, n);
		for (long k = 0; k < n; k++)
			h[l][k] = 2 + h[l][k], p[l][k] = 0.1 * p[l][k], q[l][k] = 0.1 * q[l][k];
	}
	MEASURE((double)(T * N * N), loops(T, N, h, p, q));
	result(h[T % 2], n, sizeof(double));
	result(p[T % 2], n, sizeof(double));
	result(q[T % 2], n, sizeof(double));
	return finish();
}
