// The nest of runs.loop.
#include "peer.h"

static void loops(long M, long N, const uint8_t *restrict p, uint8_t *restrict across, uint8_t *restrict down) {
	long s = N + 1;
	for (long i = 1; i <= M; i++)
		for (long k = i * s + 1; k <= i * s + N; k++) {
			across[k] = p[k] == p[k - 1] && across[k - 1] < 255 ? (uint8_t)(across[k - 1] + 1) : 1;
			down[k] = p[k] == p[k - s] && down[k - s] < 255 ? (uint8_t)(down[k - s] + 1) : 1;
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000), n = (M + 1) * (N + 1);
	uint8_t *p = given_uint8(0, n), *across = kept(n, 1), *down = kept(n, 1);
	memset(across, 1, (size_t)n);
	memset(down, 1, (size_t)n);
	MEASURE((double)(M * N), loops(M, N, p, across, down));
	result(across, n, 1);
	result(down, n, 1);
	return finish();
}
