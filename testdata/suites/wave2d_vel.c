// The nest of wave2d_vel.loop.
#include "peer.h"

static void level(long N, const float *restrict c, const float *restrict u, float *restrict v) {
	long s = N + 4;
	for (long i = 2; i <= N + 1; i++) {
		const float *restrict m = u + i * s, *restrict k = c + i * s;
		float *restrict o = v + i * s; // the level before the last, which this one replaces
		float damp = i < 12 ? 0.02f * (float)i : 0.24f;
		for (long j = 2; j <= N + 1; j++) {
			float lap = -5.0f * m[j] + 1.3333f * (m[j - s] + m[j + s] + m[j - 1] + m[j + 1]) - 0.0833f * (m[j - 2 * s] + m[j + 2 * s] + m[j - 2] + m[j + 2]);
			o[j] = damp * (2.0f * m[j] - o[j] + 0.1f * k[j] * k[j] * lap);
		}
	}
}

static void loops(long T, long N, const float *c, float *u, float *v) {
	for (long t = 0; t < T; t++)
		if (t % 2 == 0)
			level(N, c, u, v);
		else
			level(N, c, v, u);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 4) * (N + 4);
	float *c = given_float32(0, n), *u = given_float32(1, n), *v = given_float32(1, n);
	MEASURE((double)(T * N * N), loops(T, N, c, u, v));
	result(T % 2 == 0 ? u : v, n, sizeof *u);
	return finish();
}
