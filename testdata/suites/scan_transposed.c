// The nest of scan_transposed.loop.
#include "peer.h"

static void loops(long M, long N, const double *restrict x, double *restrict s) {
	for (long i = 1; i <= M; i++) {
		double *restrict r = s + i * N;
		for (long j = 0; j < N; j++)
			r[j] = 0.9 * r[j - N] + x[j * M + i - 1];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000);
	double *x = given_float64(0, M * N), *s = zeroed((M + 1) * N, sizeof *s);
	MEASURE((double)(M * N), loops(M, N, x, s));
	result(s, (M + 1) * N, sizeof *s);
	return finish();
}
