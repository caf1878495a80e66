// The nest of pair_hmm.loop. Two rows of each table are kept.
#include "peer.h"

static void row(long N, uint8_t x, float gap, const uint8_t *restrict y, const float *restrict m0, const float *restrict d0, const float *restrict e0, float *restrict m, float *restrict d, float *restrict e) {
	float g = 0.1f * gap;
	m[0] = d[0] = e[0] = 0.0f;
	for (long j = 1; j <= N; j++) {
		float p = x == y[j - 1] ? 0.9f : 0.03f;
		m[j] = p * ((1.0f - 2.0f * g) * m0[j - 1] + 0.9f * (d0[j - 1] + e0[j - 1]));
		d[j] = g * m0[j] + 0.1f * d0[j];
		e[j] = g * m[j - 1] + 0.1f * e[j - 1];
	}
}

static void loops(long M, long N, const uint8_t *x, const uint8_t *y, const float *gap, float *m[2], float *d[2], float *e[2]) {
	for (long i = 1; i <= M; i++) {
		long a = (i - 1) % 2, b = i % 2;
		row(N, x[i - 1], gap[i - 1], y, m[a], d[a], e[a], m[b], d[b], e[b]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000);
	uint8_t *x = given_uint8(0, M), *y = given_uint8(1, N);
	float *gap = given_float32(2, M), *m[2], *d[2], *e[2];
	for (int k = 0; k < 2; k++) {
		m[k] = zeroed(N + 1, sizeof(float)), d[k] = zeroed(N + 1, sizeof(float)), e[k] = zeroed(N + 1, sizeof(float));
		for (long j = 0; j <= N; j++)
			d[k][j] = 1.0f;
	}
	m[0][0] = 1.0f;
	MEASURE((double)(M * N), loops(M, N, x, y, gap, m, d, e));
	result(m[M % 2], N + 1, sizeof(float));
	return finish();
}
