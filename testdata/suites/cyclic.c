// The nest of cyclic.loop.
#include "peer.h"

static void level(long N, const uint8_t *restrict a, uint8_t *restrict b) {
	long w = N + 2;
	for (long i = 1; i <= N; i++)
		for (long k = i * w + 1; k <= i * w + N; k++) {
			uint8_t next = a[k] == 7 ? 0 : (uint8_t)(a[k] + 1);
			b[k] = a[k - w] == next || a[k + w] == next || a[k - 1] == next || a[k + 1] == next ? next : a[k];
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
