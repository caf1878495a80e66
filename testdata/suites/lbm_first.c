// The nest of lbm_first.loop.
#include "peer.h"

static void level(long N, const double *restrict d0, const double *restrict d1, const double *restrict d2, const double *restrict d3, const double *restrict d4, const double *restrict d5, const double *restrict d6, const double *restrict d7, const double *restrict d8, double *restrict n0, double *restrict n1, double *restrict n2, double *restrict n3, double *restrict n4, double *restrict n5, double *restrict n6, double *restrict n7, double *restrict n8) {
	const double omega = 1.2, w0 = 0.44, w1 = 0.11, w2 = 0.03;
	long s = N + 2;
	for (long i = 1; i <= N; i++)
		for (long k = i * s + 1; k <= i * s + N; k++) {
			double f0 = d0[k], f1 = d1[k - s], f2 = d2[k - 1], f3 = d3[k + s], f4 = d4[k + 1], f5 = d5[k - s - 1], f6 = d6[k + s - 1], f7 = d7[k + s + 1], f8 = d8[k - s + 1];
			double rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
			double ux = (f1 - f3 + f5 - f6 - f7 + f8) / rho, uy = (f2 - f4 + f5 + f6 - f7 - f8) / rho;
			double square = 1.0 - 1.5 * (ux * ux + uy * uy);
			n0[k] = f0 - omega * (f0 - w0 * rho * square);
			double e1 = ux;
			n1[k] = f1 - omega * (f1 - w1 * rho * (square + 3.0 * e1 + 4.5 * e1 * e1));
			double e2 = uy;
			n2[k] = f2 - omega * (f2 - w1 * rho * (square + 3.0 * e2 + 4.5 * e2 * e2));
			double e3 = -ux;
			n3[k] = f3 - omega * (f3 - w1 * rho * (square + 3.0 * e3 + 4.5 * e3 * e3));
			double e4 = -uy;
			n4[k] = f4 - omega * (f4 - w1 * rho * (square + 3.0 * e4 + 4.5 * e4 * e4));
			double e5 = ux + uy;
			n5[k] = f5 - omega * (f5 - w2 * rho * (square + 3.0 * e5 + 4.5 * e5 * e5));
			double e6 = uy - ux;
			n6[k] = f6 - omega * (f6 - w2 * rho * (square + 3.0 * e6 + 4.5 * e6 * e6));
			double e7 = -ux - uy;
			n7[k] = f7 - omega * (f7 - w2 * rho * (square + 3.0 * e7 + 4.5 * e7 * e7));
			double e8 = ux - uy;
			n8[k] = f8 - omega * (f8 - w2 * rho * (square + 3.0 * e8 + 4.5 * e8 * e8));
		}
}

static void loops(long T, long N, double *d[2][9]) {
	for (long t = 0; t < T; t++) {
		double **a = d[t % 2], **b = d[(t + 1) % 2];
		level(N, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 300), n = (N + 2) * (N + 2);
	double *d[2][9];
	for (int l = 0; l < 2; l++) {
		double *g = given_float64(0, 9 * n);
		for (long k = 0; k < 9 * n; k++)
			g[k] = 1 + 0.1 * g[k];
		for (int q = 0; q < 9; q++)
			d[l][q] = g + q * n;
	}
	MEASURE((double)(T * N * N), loops(T, N, d));
	result(d[T % 2][0], 9 * n, sizeof(double));
	return finish();
}
