// The nest of fdtd_tm.loop.
#include "peer.h"

static void loops(long T, long N, const float *restrict ce, float *restrict ez, float *restrict hx, float *restrict hy) {
	long s = N + 1;
	for (long t = 1; t <= T; t++)
		for (long i = 1; i <= N; i++) {
			float source = i == 5 ? 0.01f * (float)t : 0.0f;
			for (long j = 1, at = i * s + 1; j <= N; j++, at++) {
				ez[at] = ez[at] + ce[at] * (hy[at] - hy[at - s] - hx[at] + hx[at - 1]) + source;
				hx[at - 1] = hx[at - 1] - 0.5f * (ez[at] - ez[at - 1]);
				hy[at - s] = hy[at - s] + 0.5f * (ez[at] - ez[at - s]);
			}
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 10), N = number("N", 500), n = (N + 1) * (N + 1);
	float *ce = given_float32(0, n), *ez = given_float32(1, n), *hx = given_float32(2, n), *hy = given_float32(3, n);
	MEASURE((double)(T * N * N), loops(T, N, ce, ez, hx, hy));
	result(ez, n, sizeof *ez);
	result(hx, n, sizeof *hx);
	result(hy, n, sizeof *hy);
	return finish();
}
