// The loops of bicg.loop.
#include "peer.h"

static void loops(long M, long N, double (*restrict A)[M], double *restrict s, double *restrict q, double *restrict p, double *restrict r) {
	for (long i = 0; i < M; i++)
		s[i] = 0;
	for (long i = 0; i < N; i++) {
		q[i] = 0;
		for (long j = 0; j < M; j++) {
			s[j] = s[j] + r[i] * A[i][j];
			q[i] = q[i] + A[i][j] * p[j];
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 38), N = number("N", 42);
	double (*A)[M] = (void *)given_float64(0, N * M);
	double *s = zeroed(M, sizeof(double));
	double *q = zeroed(N, sizeof(double));
	double *p = given_float64(3, M);
	double *r = given_float64(4, N);
	MEASURE(0, loops(M, N, A, s, q, p, r));
	result(s, M, sizeof(double));
	result(q, N, sizeof(double));
	return finish();
}
