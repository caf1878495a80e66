// The nest of paths.loop. One row is kept.
#include "peer.h"

static void loops(long M, long N, const uint8_t *restrict wall, int32_t *restrict p) {
	for (long i = 0; i < M; i++) {
		const uint8_t *restrict w = wall + i * N - 1;
		int32_t left = p[0] = 0;
		for (long j = 1; j <= N; j++) {
			int32_t sum = p[j] + left;
			p[j] = left = w[j] == 7 ? 0 : sum - sum / 1000003 * 1000003;
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 2000), N = number("N", 2000);
	uint8_t *wall = given_uint8(0, M * N);
	int32_t *p = zeroed(N + 1, sizeof *p);
	p[1] = 1;
	MEASURE((double)(M * N), loops(M, N, wall, p));
	result(p, N + 1, sizeof *p);
	return finish();
}
