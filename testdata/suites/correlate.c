// The nest of correlate.loop.
#include "peer.h"

static void loops(long K, long N, const float *restrict x, double *restrict r) {
	for (long k = 0; k <= K; k++) {
		double sum = r[k];
		for (long n = 0; n <= N; n++)
			sum = sum + (double)x[n] * (double)x[n + k];
		r[k] = sum;
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long K = number("K", 100), N = number("N", 20000);
	float *x = given_float32(0, N + K + 1);
	double *r = zeroed(K + 1, sizeof *r);
	MEASURE((double)((K + 1) * (N + 1)), loops(K, N, x, r));
	result(r, K + 1, sizeof *r);
	return finish();
}
