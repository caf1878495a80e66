// The nest of sandpile.loop.
#include "peer.h"

static void level(long N, const uint8_t *restrict a, uint8_t *restrict b) {
	long w = N + 2;
	for (long i = 1; i <= N; i++) {
		const uint8_t *restrict m = a + i * w;
		for (long j = 1; j <= N; j++)
			b[i * w + j] = (uint8_t)(m[j] - m[j] / 4 * 4 + m[j - w] / 4 + m[j + w] / 4 + m[j - 1] / 4 + m[j + 1] / 4);
	}
}

static void loops(long T, long N, uint8_t *a[2]) {
	for (long t = 0; t < T; t++)
		level(N, a[t % 2], a[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 1000), n = (N + 2) * (N + 2);
	uint8_t *a[2] = {given_uint8(0, n), given_uint8(0, n)};
	MEASURE((double)(T * N * N), loops(T, N, a));
	result(a[T % 2], n, 1);
	return finish();
}
