// The nest of gotoh.loop.
#include "peer.h"

static inline int32_t greater(int32_t x, int32_t y) { return x > y ? x : y; }

static void loops(long M, long N, const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict H, int32_t *restrict E, int32_t *restrict F) {
	long s = N + 1;
	for (long i = 1; i <= M; i++) {
		int32_t *restrict h = H + i * s, *restrict e = E + i * s, *restrict f = F + i * s;
		for (long j = 1; j <= N; j++) {
			e[j] = greater(e[j - 1] - 1, h[j - 1] - 11);
			f[j] = greater(f[j - s] - 1, h[j - s] - 11);
			h[j] = greater(greater(h[j - s - 1] + (a[i - 1] == b[j - 1] ? 5 : -4), e[j]), f[j]);
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000), s = N + 1, n = (M + 1) * s;
	uint8_t *a = given_uint8(0, M), *b = given_uint8(1, N);
	int32_t *H = kept(n, sizeof *H), *E = kept(n, sizeof *E), *F = kept(n, sizeof *F);
	for (long k = 0; k < n; k++) {
		H[k] = k == 0 ? 0 : (int32_t)(-10 - k / s - k % s);
		E[k] = F[k] = -1000000;
	}
	MEASURE((double)(M * N), loops(M, N, a, b, H, E, F));
	result(H, n, sizeof *H);
	result(E, n, sizeof *E);
	result(F, n, sizeof *F);
	return finish();
}
