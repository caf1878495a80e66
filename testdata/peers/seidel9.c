// The nest of seidel9.loop: Gauss-Seidel over a nine-point stencil, in place, the
// sum divided.
#include "peer.h"

static void plain(long T, long N, double *restrict u) {
	long s = N + 2;
	for (long t = 1; t <= T; t++)
		for (long i = 1; i <= N; i++)
			for (long j = 1; j <= N; j++) {
				long at = i * s + j;
				u[at] = (u[at - s - 1] + u[at - s] + u[at - s + 1] + u[at - 1] + u[at] + u[at + 1] + u[at + s - 1] + u[at + s] +
					 u[at + s + 1]) / 9.0;
			}
}

// No dependence runs backwards between tiles of t, i' = i + t and
// j' = j + i + 2t.
struct nest {
	long T, N, st, si, sj;
	double *u;
};

static void tile(const void *nest, long tt, long ti, long tj) {
	struct nest n = *(const struct nest *)nest;
	double *restrict u = n.u;
	long s = n.N + 2;
	long tLast = least(n.T, (tt + 1) * n.st);
	for (long t = 1 + tt * n.st; t <= tLast; t++) {
		long iLast = least(n.N, 1 + (ti + 1) * n.si - t);
		for (long i = most(1, 2 + ti * n.si - t); i <= iLast; i++) {
			// The least j' is 4: that of t = i = j = 1.
			long jLast = least(n.N, 3 + (tj + 1) * n.sj - i - 2 * t);
			for (long j = most(1, 4 + tj * n.sj - i - 2 * t); j <= jLast; j++) {
				long at = i * s + j;
				u[at] = (u[at - s - 1] + u[at - s] + u[at - s + 1] + u[at - 1] + u[at] + u[at + 1] + u[at + s - 1] + u[at + s] +
					 u[at + s + 1]) / 9.0;
			}
		}
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 50), N = number("N", 500);
	long size = (N + 2) * (N + 2);
	double *u = cells(size, sizeof *u);
	for (long k = 0; k < size; k++)
		u[k] = random_float64(0, (uint64_t)k);
	struct nest n = {T, N, number("side_t", 16), number("side_i", 64), number("side_j", 16), u};
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(T, N, u);
	else if (is_variant("tiled"))
		wavefront(tiles(T, n.st), tiles(T + N - 1, n.si), tiles(2 * T + 2 * N - 3, n.sj), tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	report(seconds, (double)T * (double)N * (double)N, wants_checksum() ? checksum(0, u, (size_t)size * sizeof *u) : 0);
	free(u);
	return 0;
}
