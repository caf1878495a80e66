// The nest of gray_scott.loop.
#include "peer.h"

static void level(long N, const float *restrict u, const float *restrict v, float *restrict p, float *restrict q) {
	long s = N + 2;
	for (long i = 1; i <= N; i++) {
		const float *restrict a = u + i * s, *restrict b = v + i * s;
		for (long j = 1; j <= N; j++) {
			float lu = a[j - s] + a[j + s] + a[j - 1] + a[j + 1] - 4.0f * a[j];
			float lv = b[j - s] + b[j + s] + b[j - 1] + b[j + 1] - 4.0f * b[j];
			float r = a[j] * b[j] * b[j];
			p[i * s + j] = a[j] + 0.2f * lu - r + 0.04f * (1.0f - a[j]);
			q[i * s + j] = b[j] + 0.1f * lv + r - 0.1f * b[j];
		}
	}
}

static void loops(long T, long N, float *u[2], float *v[2]) {
	for (long t = 0; t < T; t++)
		level(N, u[t % 2], v[t % 2], u[(t + 1) % 2], v[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 2) * (N + 2);
	float *u[2] = {given_float32(0, n), given_float32(0, n)}, *v[2] = {given_float32(1, n), given_float32(1, n)};
	MEASURE((double)(T * N * N), loops(T, N, u, v));
	result(u[T % 2], n, sizeof(float));
	result(v[T % 2], n, sizeof(float));
	return finish();
}
