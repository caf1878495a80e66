// The nest of erode.loop.
#include "peer.h"

static inline uint8_t less(uint8_t x, uint8_t y) { return x < y ? x : y; }

static void level(long N, const uint8_t *restrict mask, const uint8_t *restrict a, uint8_t *restrict b) {
	long w = N + 2;
	for (long i = 1; i <= N; i++)
		for (long k = i * w + 1; k <= i * w + N; k++)
			b[k] = mask[k] == 0 ? a[k] : less(less(less(less(a[k], a[k - w]), a[k + w]), a[k - 1]), a[k + 1]);
}

static void loops(long T, long N, const uint8_t *mask, uint8_t *a[2]) {
	for (long t = 0; t < T; t++)
		level(N, mask, a[t % 2], a[(t + 1) % 2]);
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 1000), n = (N + 2) * (N + 2);
	uint8_t *mask = given_uint8(0, n), *a[2] = {given_uint8(1, n), given_uint8(1, n)};
	MEASURE((double)(T * N * N), loops(T, N, mask, a));
	result(a[T % 2], n, 1);
	return finish();
}
