// The nest of osa.loop. Three rows are kept.
#include "peer.h"

static inline int32_t less(int32_t x, int32_t y) { return x < y ? x : y; }

static void loops(long M, long N, const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict D) {
	long s = N + 2;
	for (long i = 1; i <= M; i++) {
		int32_t *restrict here = D + (i + 1) % 3 * s + 1;
		const int32_t *restrict up = D + i % 3 * s + 1, *restrict far = D + (i + 2) % 3 * s + 1;
		here[-1] = 1000000;
		here[0] = (int32_t)i;
		for (long j = 1; j <= N; j++) {
			int32_t swapped = i > 1 && j > 1 && a[i] == b[j - 1] && a[i - 1] == b[j] ? far[j - 2] + 1 : 1000000;
			here[j] = less(less(less(up[j] + 1, here[j - 1] + 1), up[j - 1] + (a[i] == b[j] ? 0 : 1)), swapped);
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000), s = N + 2;
	uint8_t *a = given_uint8(0, M + 1), *b = given_uint8(1, N + 1);
	int32_t *D = zeroed(3 * s, sizeof *D);
	for (long j = -1; j <= N; j++)
		D[1 + j] = 1000000, D[s + 1 + j] = j < 0 ? 1000000 : (int32_t)j;
	MEASURE((double)(M * N), loops(M, N, a, b, D));
	result(D + (M + 1) % 3 * s, s, sizeof *D);
	return finish();
}
