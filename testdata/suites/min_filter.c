// The nest of min_filter.loop.
#include "peer.h"

static inline float less(float x, float y) { return x < y ? x : y; }

static void loops(long M, long N, const float *restrict h, float *restrict low) {
	for (long i = 1; i <= M; i++) {
		const float *restrict g = h + (i - 1) * (N + 4) + 1;
		float *restrict l = low + i * N - 1;
		for (long j = 1; j <= N; j++)
			l[j] = less(less(less(less(less(l[j - N] + 0.01f, g[j - 2]), g[j - 1]), g[j]), g[j + 1]), g[j + 2]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000), n = (M + 1) * N;
	float *h = given_float32(0, M * (N + 4)), *low = kept(n, sizeof *low);
	for (long k = 0; k < n; k++)
		low[k] = 1.0f;
	MEASURE((double)(M * N), loops(M, N, h, low));
	result(low, n, sizeof *low);
	return finish();
}
