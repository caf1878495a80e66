// The nest of edit_tall.loop.
#include "peer.h"

// One row is kept.
static void loops(long T, long N, const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict D) {
	for (long i = 1; i <= T; i++) {
		int32_t corner = D[0], left = D[0] = (int32_t)i;
		for (long j = 1; j <= N; j++) {
			int32_t up = D[j], change = corner + (a[i - 1] != b[j - 1]);
			int32_t v = up + 1 < left + 1 ? up + 1 : left + 1;
			D[j] = left = change < v ? change : v;
			corner = up;
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 1000), N = number("N", 500);
	uint8_t *a = given_uint8(0, T), *b = given_uint8(1, N);
	int32_t *D = cells(N + 1, sizeof *D);
	for (long j = 0; j <= N; j++)
		D[j] = (int32_t)j;
	MEASURE((double)(T * N), loops(T, N, a, b, D));
	result(D, N + 1, sizeof *D);
	return finish();
}
