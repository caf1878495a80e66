// The nest of dtw.loop.
#include "peer.h"
#include <math.h>

static inline float less(float x, float y) { return x < y ? x : y; }

static void loops(long M, long N, const float *restrict x, const float *restrict y, float *restrict D) {
	long s = N + 1;
	for (long i = 1; i <= M; i++) {
		float *restrict d = D + i * s;
		for (long j = 1; j <= N; j++)
			d[j] = fabsf(x[i] - y[j]) + less(less(d[j - s], d[j - 1]), d[j - s - 1]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000);
	float *x = given_float32(0, M) - 1, *y = given_float32(1, N) - 1, *D = kept((M + 1) * (N + 1), sizeof *D);
	for (long k = 0; k < (M + 1) * (N + 1); k++)
		D[k] = k == 0 ? 0.0f : 1e30f;
	MEASURE((double)(M * N), loops(M, N, x, y, D));
	result(D, (M + 1) * (N + 1), sizeof *D);
	return finish();
}
