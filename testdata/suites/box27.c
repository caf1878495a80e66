// The nest of box27.loop.
#include "peer.h"

static void level(long N, const float *restrict u, float *restrict v) {
	long s = N + 2, p = s * s;
	for (long i = 1; i <= N; i++)
		for (long j = 1; j <= N; j++) {
			const float *restrict m = u + i * p + j * s, *restrict a = m - p, *restrict b = m + p;
			float *restrict o = v + i * p + j * s;
			for (long k = 1; k <= N; k++) {
				float below = a[k - s - 1] + a[k - s] + a[k - s + 1] + a[k - 1] + a[k] + a[k + 1] + a[k + s - 1] + a[k + s] + a[k + s + 1];
				float here = m[k - s - 1] + m[k - s] + m[k - s + 1] + m[k - 1] + m[k + 1] + m[k + s - 1] + m[k + s] + m[k + s + 1];
				float above = b[k - s - 1] + b[k - s] + b[k - s + 1] + b[k - 1] + b[k] + b[k + 1] + b[k + s - 1] + b[k + s] + b[k + s + 1];
				o[k] = 0.5f * m[k] + 0.019f * (below + here + above);
			}
		}
}

static void loops(long T, long N, float *u[2]) {
	for (long t = 0; t < T; t++)
		level(N, u[t % 2], u[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 100), n = (N + 2) * (N + 2) * (N + 2);
	float *u[2] = {given_float32(0, n), given_float32(0, n)};
	MEASURE((double)(T * N * N * N), loops(T, N, u));
	result(u[T % 2], n, sizeof(float));
	return finish();
}
