// The nest of gs5_rhs.loop.
#include "peer.h"

static void loops(long T, long N, const float *restrict f, float *restrict u) {
	long s = N + 2;
	for (long t = 0; t < T; t++)
		for (long i = 1; i <= N; i++) {
			float *restrict m = u + i * s;
			const float *restrict g = f + i * s;
			for (long j = 1; j <= N; j++)
				m[j] = 0.25f * (m[j - s] + m[j + s] + m[j - 1] + m[j + 1] - 0.01f * g[j]);
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 2) * (N + 2);
	float *f = given_float32(0, n), *u = given_float32(1, n);
	MEASURE((double)(T * N * N), loops(T, N, f, u));
	result(u, n, sizeof *u);
	return finish();
}
