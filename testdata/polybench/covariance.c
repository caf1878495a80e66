// The loops of covariance.loop.
#include "peer.h"

static void loops(long M, long N, double (*restrict data)[M], double (*restrict cov)[M], double *restrict mean, double *restrict float_n) {
	for (long j = 0; j < M; j++) {
		mean[j] = 0;
		for (long i = 0; i < N; i++)
			mean[j] += data[i][j];
		mean[j] /= float_n[0];
	}
	for (long i = 0; i < N; i++)
		for (long j = 0; j < M; j++)
			data[i][j] -= mean[j];
	for (long i = 0; i < M; i++)
		for (long j = i; j < M; j++) {
			cov[i][j] = 0;
			for (long k = 0; k < N; k++)
				cov[i][j] += data[k][i] * data[k][j];
			cov[i][j] /= float_n[0] - 1;
			cov[j][i] = cov[i][j];
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 28), N = number("N", 32);
	double (*data)[M] = (void *)given_float64(0, N * M);
	double (*cov)[M] = zeroed(M * M, sizeof(double));
	double *mean = zeroed(M, sizeof(double));
	double *float_n = given_float64(3, 1);
	MEASURE(0, loops(M, N, data, cov, mean, float_n));
	result(data, N * M, sizeof(double));
	result(cov, M * M, sizeof(double));
	return finish();
}
