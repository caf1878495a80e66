// The nest of rule110.loop.
#include "peer.h"

static void level(long N, const uint8_t *restrict a, uint8_t *restrict b) {
	for (long i = 1; i <= N; i++) {
		uint8_t code = (uint8_t)(4 * a[i - 1] + 2 * a[i] + a[i + 1]);
		b[i] = code == 0 || code == 4 || code == 7 ? 0 : 1;
	}
}

static void loops(long T, long N, uint8_t *a[2]) {
	for (long t = 0; t < T; t++)
		level(N, a[t % 2], a[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 1000), N = number("N", 10000), n = N + 2;
	uint8_t *a[2] = {given_uint8(0, n), given_uint8(0, n)};
	for (int level = 0; level < 2; level++)
		for (long k = 0; k < n; k++)
			a[level][k] /= 4;
	MEASURE((double)(T * N), loops(T, N, a));
	result(a[T % 2], n, 1);
	return finish();
}
