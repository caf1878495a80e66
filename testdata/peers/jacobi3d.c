// The nest of jacobi3d.loop: two levels that take turns.
#include "peer.h"

// row computes row (i, j) of a level from the level before.
static inline void row(long N, long i, long j, const double *restrict old, double *restrict new) {
	const double c0 = 0.4, c1 = 0.1;
	long sj = N + 2, si = sj * sj;
	for (long k = 1; k <= N; k++) {
		long at = i * si + j * sj + k;
		new[at] = c0 * old[at] + c1 * (old[at - si] + old[at + si] + old[at - sj] + old[at + sj] + old[at - 1] + old[at + 1]);
	}
}

static void plain(long T, long N, double *u[2]) {
	for (long t = 1; t <= T; t++)
		for (long i = 1; i <= N; i++)
			for (long j = 1; j <= N; j++)
				row(N, i, j, u[(t - 1) % 2], u[t % 2]);
}

// No dependence runs backwards between tiles of t, i' = i + t and j' = j + t; rows
// along k are whole.
struct nest {
	long T, N, st, si, sj;
	double *u[2];
};

static void tile(const void *nest, long tt, long ti, long tj) {
	struct nest n = *(const struct nest *)nest;
	long tLast = least(n.T, (tt + 1) * n.st);
	for (long t = 1 + tt * n.st; t <= tLast; t++) {
		long iLast = least(n.N, 1 + (ti + 1) * n.si - t);
		long jFirst = most(1, 2 + tj * n.sj - t), jLast = least(n.N, 1 + (tj + 1) * n.sj - t);
		for (long i = most(1, 2 + ti * n.si - t); i <= iLast; i++)
			for (long j = jFirst; j <= jLast; j++)
				row(n.N, i, j, n.u[(t - 1) % 2], n.u[t % 2]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 40), N = number("N", 64);
	long size = (N + 2) * (N + 2) * (N + 2);
	struct nest n = {T, N, number("side_t", 8), number("side_i", 16), number("side_j", 16), {NULL, NULL}};
	for (int level = 0; level < 2; level++) {
		n.u[level] = cells(size, sizeof *n.u[level]);
		for (long k = 0; k < size; k++)
			n.u[level][k] = random_float64(0, (uint64_t)k);
	}
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(T, N, n.u);
	else if (is_variant("tiled"))
		wavefront(tiles(T, n.st), tiles(T + N - 1, n.si), tiles(T + N - 1, n.sj), tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	report(seconds, (double)T * (double)N * (double)N * (double)N,
	       wants_checksum() ? checksum(0, n.u[T % 2], (size_t)size * sizeof(double)) : 0);
	free(n.u[0]);
	free(n.u[1]);
	return 0;
}
