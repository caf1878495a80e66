// The nest of jarvis.loop. Three rows of errors are kept.
#include "peer.h"

static void row(long N, const float *restrict p, const float *restrict b, const float *restrict a, float *restrict e, float *restrict q) {
	for (long j = 1; j <= N; j++) {
		float near = 7.0f * e[j - 1] + 5.0f * e[j - 2];
		float above = 3.0f * a[j - 2] + 5.0f * a[j - 1] + 7.0f * a[j] + 5.0f * a[j + 1] + 3.0f * a[j + 2];
		float far = b[j - 2] + 3.0f * b[j - 1] + 5.0f * b[j] + 3.0f * b[j + 1] + b[j + 2];
		float v = p[j] + (near + above + far) / 48.0f;
		q[j] = v > 0.5f ? 1.0f : 0.0f;
		e[j] = v - (v > 0.5f ? 1.0f : 0.0f);
	}
}

static void loops(long M, long N, const float *p, float *e, float *q) {
	long s = N + 4;
	for (long i = 0; i < M; i++)
		row(N, p + i * N - 1, e + i % 3 * s + 1, e + (i + 1) % 3 * s + 1, e + (i + 2) % 3 * s + 1, q + i * N - 1);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000);
	float *p = given_float32(0, M * N), *e = zeroed(3 * (N + 4), sizeof *e), *q = zeroed(M * N, sizeof *q);
	MEASURE((double)(M * N), loops(M, N, p, e, q));
	result(q, M * N, sizeof *q);
	return finish();
}
