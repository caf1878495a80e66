// The nest of half_sweeps.loop.
#include "peer.h"

static void loops(long T, long N, const uint8_t *restrict inside, const double *restrict f, double *restrict u) {
	long s = N + 2;
	for (long t = 1; t <= T; t++)
		for (long color = 0; color < 2; color++)
			for (long i = 1; i <= N; i++) {
				double *restrict m = u + i * s;
				const double *restrict g = f + (i - 1) * N - 1;
				const uint8_t *restrict in = inside + (i - 1) * N - 1;
				for (long j = 1 + (i + color) % 2; j <= N; j += 2)
					if (in[j] > 1)
						m[j] = 0.25 * (m[j - s] + m[j + s] + m[j - 1] + m[j + 1] - g[j]);
			}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 2) * (N + 2);
	uint8_t *inside = given_uint8(0, N * N);
	double *f = given_float64(1, N * N), *u = given_float64(2, n);
	MEASURE((double)(2 * T * N * N), loops(T, N, inside, f, u));
	result(u, n, sizeof *u);
	return finish();
}
