// The nest of wave3d_r4.loop.
#include "peer.h"

static void level(long N, const float *restrict c, const float *restrict u, float *restrict v) {
	long s = N + 8, p = s * s;
	for (long i = 4; i <= N + 3; i++)
		for (long j = 4; j <= N + 3; j++) {
			const float *restrict m = u + i * p + j * s, *restrict h = c + i * p + j * s;
			float *restrict o = v + i * p + j * s; // the level before the last
			for (long k = 4; k <= N + 3; k++) {
				float r1 = m[k - p] + m[k + p] + m[k - s] + m[k + s] + m[k - 1] + m[k + 1];
				float r2 = m[k - 2 * p] + m[k + 2 * p] + m[k - 2 * s] + m[k + 2 * s] + m[k - 2] + m[k + 2];
				float r3 = m[k - 3 * p] + m[k + 3 * p] + m[k - 3 * s] + m[k + 3 * s] + m[k - 3] + m[k + 3];
				float r4 = m[k - 4 * p] + m[k + 4 * p] + m[k - 4 * s] + m[k + 4 * s] + m[k - 4] + m[k + 4];
				o[k] = 2.0f * m[k] - o[k] + 0.1f * h[k] * (-8.5f * m[k] + 1.6f * r1 - 0.2f * r2 + 0.025f * r3 - 0.0018f * r4);
			}
		}
}

static void loops(long T, long N, const float *c, float *u[2]) {
	for (long t = 0; t < T; t++)
		level(N, c, u[t % 2], u[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 100), n = (N + 8) * (N + 8) * (N + 8);
	float *c = given_float32(0, n), *u[2] = {given_float32(1, n), given_float32(1, n)};
	MEASURE((double)(T * N * N * N), loops(T, N, c, u));
	result(u[T % 2], n, sizeof(float));
	return finish();
}
