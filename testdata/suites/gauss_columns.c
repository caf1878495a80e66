// The nests of gauss_columns.loop.
#include "peer.h"

static void loops(long M, long N, float *restrict x) {
	for (long i = 1; i <= M; i++)
		for (long k = i * N; k < (i + 1) * N; k++)
			x[k] = 0.4f * x[k] + 0.6f * x[k - N];
	for (long i = M; i >= 1; i--)
		for (long k = i * N; k < (i + 1) * N; k++)
			x[k] = 0.4f * x[k] + 0.6f * x[k + N];
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000), n = (M + 2) * N;
	float *x = given_float32(0, n);
	MEASURE((double)(2 * M * N), loops(M, N, x));
	result(x, n, sizeof *x);
	return finish();
}
