// The nest of max_square.loop.
#include "peer.h"

static inline int32_t less(int32_t x, int32_t y) { return x < y ? x : y; }

static void loops(long M, long N, const uint8_t *restrict full, int32_t *restrict side) {
	long w = N + 1;
	for (long i = 1; i <= M; i++) {
		int32_t *restrict s = side + i * w;
		const uint8_t *restrict f = full + (i - 1) * N - 1;
		for (long j = 1; j <= N; j++)
			s[j] = f[j] > 0 ? 1 + less(less(s[j - w], s[j - 1]), s[j - w - 1]) : 0;
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000), n = (M + 1) * (N + 1);
	uint8_t *full = given_uint8(0, M * N);
	int32_t *s = zeroed(n, sizeof *s);
	MEASURE((double)(M * N), loops(M, N, full, s));
	result(s, n, sizeof *s);
	return finish();
}
