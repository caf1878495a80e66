// The nest of lcs.loop. One row is kept.
#include "peer.h"

static void loops(long M, long N, const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict L) {
	for (long i = 0; i < M; i++) {
		int32_t corner = 0, left = 0;
		for (long j = 1; j <= N; j++) {
			int32_t up = L[j];
			L[j] = left = a[i] == b[j - 1] ? corner + 1 : up > left ? up : left;
			corner = up;
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000);
	uint8_t *a = given_uint8(0, M), *b = given_uint8(1, N);
	int32_t *L = zeroed(N + 1, sizeof *L);
	MEASURE((double)(M * N), loops(M, N, a, b, L));
	result(L, N + 1, sizeof *L);
	return finish();
}
