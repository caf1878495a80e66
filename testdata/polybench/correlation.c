// The loops of correlation.loop.
#include "peer.h"
#include <math.h>

static void loops(long M, long N, double (*restrict data)[M], double (*restrict corr)[M], double *restrict mean, double *restrict stddev, double *restrict float_n) {
	const double eps = 0.1;
	for (long j = 0; j < M; j++) {
		mean[j] = 0;
		for (long i = 0; i < N; i++)
			mean[j] += data[i][j];
		mean[j] /= float_n[0];
	}
	for (long j = 0; j < M; j++) {
		stddev[j] = 0;
		for (long i = 0; i < N; i++)
			stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
		stddev[j] /= float_n[0];
		stddev[j] = sqrt(stddev[j]);
		stddev[j] = stddev[j] <= eps ? 1 : stddev[j];
	}
	for (long i = 0; i < N; i++)
		for (long j = 0; j < M; j++) {
			data[i][j] -= mean[j];
			data[i][j] /= sqrt(float_n[0]) * stddev[j];
		}
	for (long i = 0; i < M - 1; i++) {
		corr[i][i] = 1;
		for (long j = i + 1; j < M; j++) {
			corr[i][j] = 0;
			for (long k = 0; k < N; k++)
				corr[i][j] += data[k][i] * data[k][j];
			corr[j][i] = corr[i][j];
		}
	}
	corr[M - 1][M - 1] = 1;
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 28), N = number("N", 32);
	double (*data)[M] = (void *)given_float64(0, N * M);
	double (*corr)[M] = zeroed(M * M, sizeof(double));
	double *mean = zeroed(M, sizeof(double));
	double *stddev = zeroed(M, sizeof(double));
	double *float_n = given_float64(4, 1);
	MEASURE(0, loops(M, N, data, corr, mean, stddev, float_n));
	result(data, N * M, sizeof(double));
	result(corr, M * M, sizeof(double));
	return finish();
}
