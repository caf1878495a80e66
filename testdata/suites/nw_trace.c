// The nest of nw_trace.loop. One row of scores is kept.
#include "peer.h"

static inline int32_t greater(int32_t x, int32_t y) { return x > y ? x : y; }

static void loops(long M, long N, const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict H, uint8_t *restrict D) {
	for (long i = 1; i <= M; i++) {
		uint8_t *restrict d = D + i * (N + 1);
		int32_t corner = H[0], left;
		left = H[0] = (int32_t)(-3 * i);
		for (long j = 1; j <= N; j++) {
			int32_t diagonal = corner + (a[i] == b[j] ? 4 : -2), up = H[j] - 3, across = left - 3;
			corner = H[j];
			H[j] = left = greater(greater(diagonal, up), across);
			d[j] = diagonal >= up && diagonal >= across ? 0 : up >= across ? 1 : 2;
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000);
	uint8_t *a = given_uint8(0, M) - 1, *b = given_uint8(1, N) - 1, *D = zeroed((M + 1) * (N + 1), 1);
	int32_t *H = kept(N + 1, sizeof *H);
	for (long j = 0; j <= N; j++)
		H[j] = (int32_t)(-3 * j), D[j] = 2;
	for (long i = 1; i <= M; i++)
		D[i * (N + 1)] = 1;
	MEASURE((double)(M * N), loops(M, N, a, b, H, D));
	result(H, N + 1, sizeof *H);
	result(D, (M + 1) * (N + 1), 1);
	return finish();
}
