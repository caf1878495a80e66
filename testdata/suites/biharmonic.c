// The nest of biharmonic.loop.
#include "peer.h"

static void level(long N, const float *restrict e, const float *restrict w, float *restrict v) {
	long s = N + 4;
	for (long i = 2; i <= N + 1; i++) {
		const float *restrict m = w + i * s, *restrict k = e + i * s;
		float *restrict o = v + i * s; // the level before the last
		for (long j = 2; j <= N + 1; j++) {
			float near = m[j - s] + m[j + s] + m[j - 1] + m[j + 1];
			float diagonal = m[j - s - 1] + m[j - s + 1] + m[j + s - 1] + m[j + s + 1];
			float far = m[j - 2 * s] + m[j + 2 * s] + m[j - 2] + m[j + 2];
			o[j] = 1.98f * m[j] - 0.98f * o[j] - 0.01f * k[j] * (20.0f * m[j] - 8.0f * near + 2.0f * diagonal + far);
		}
	}
}

static void loops(long T, long N, const float *e, float *w[2]) {
	for (long t = 0; t < T; t++)
		level(N, e, w[t % 2], w[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 4) * (N + 4);
	float *e = given_float32(0, n), *w[2] = {given_float32(1, n), given_float32(1, n)};
	MEASURE((double)(T * N * N), loops(T, N, e, w));
	result(w[T % 2], n, sizeof(float));
	return finish();
}
