// The loops of adi.loop.
#include "peer.h"

static void loops(long TSTEPS, long N, double *restrict k, double (*restrict u)[N], double (*restrict v)[N], double (*restrict p)[N], double (*restrict q)[N]) {
	double a = k[0], b = k[1], c = k[2], d = k[3], e = k[4], f = k[5];
	for (long t = 1; t <= TSTEPS; t++) {
		for (long i = 1; i < N - 1; i++) {
			v[0][i] = 1;
			p[i][0] = 0;
			q[i][0] = v[0][i];
			for (long j = 1; j < N - 1; j++) {
				p[i][j] = -c / (a * p[i][j - 1] + b);
				q[i][j] = (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) / (a * p[i][j - 1] + b);
			}
			v[N - 1][i] = 1;
			for (long j = N - 2; j >= 1; j--)
				v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
		}
		for (long i = 1; i < N - 1; i++) {
			u[i][0] = 1;
			p[i][0] = 0;
			q[i][0] = u[i][0];
			for (long j = 1; j < N - 1; j++) {
				p[i][j] = -f / (d * p[i][j - 1] + e);
				q[i][j] = (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) / (d * p[i][j - 1] + e);
			}
			u[i][N - 1] = 1;
			for (long j = N - 2; j >= 1; j--)
				u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long TSTEPS = number("TSTEPS", 20), N = number("N", 20);
	double *k = given_float64(0, 6);
	double (*u)[N] = (void *)given_float64(1, N * N);
	double (*v)[N] = zeroed(N * N, sizeof(double));
	double (*p)[N] = zeroed(N * N, sizeof(double));
	double (*q)[N] = zeroed(N * N, sizeof(double));
	MEASURE(0, loops(TSTEPS, N, k, u, v, p, q));
	result(u, N * N, sizeof(double));
	return finish();
}
