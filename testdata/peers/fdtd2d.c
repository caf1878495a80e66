// The nest of fdtd2d.loop.
#include "peer.h"

struct nest {
	long T, N, st, si, sj;
	double *ex, *ey, *hz;
};

// electric computes columns a to b of row i of the electric fields.
static inline void electric(long N, long i, long a, long b, double *restrict ex, double *restrict ey, const double *restrict hz) {
	long s = N + 1, at = i * s;
	for (long j = a; j <= b; j++)
		ey[at + j] = ey[at + j] - 0.5 * (hz[at + j] - hz[at - s + j]);
	for (long j = a; j <= b; j++)
		ex[at + j] = ex[at + j] - 0.5 * (hz[at + j] - hz[at + j - 1]);
}

// magnetic computes columns a to b of row i of the magnetic field.
static inline void magnetic(long N, long i, long a, long b, const double *restrict ex, const double *restrict ey, double *restrict hz) {
	long s = N + 1, at = i * s;
	for (long j = a; j <= b; j++)
		hz[at + j] = hz[at + j] - 0.7 * (ex[at + j + 1] - ex[at + j] + ey[at + s + j] - ey[at + j]);
}

static void plain(const struct nest *n) {
	long N = n->N;
	for (long t = 1; t <= n->T; t++) {
		for (long i = 1; i <= N; i++)
			electric(N, i, 1, N, n->ex, n->ey, n->hz);
		for (long i = 0; i < N; i++)
			magnetic(N, i, 0, N - 1, n->ex, n->ey, n->hz);
	}
}

// The magnetic field is a row and a column behind; no dependence runs backwards between
// tiles of t, i' = i + t and j' = j + t.
static void tile(const void *nest, long tt, long ti, long tj) {
	const struct nest *n = nest;
	long N = n->N, tLast = least(n->T, (tt + 1) * n->st);
	for (long t = 1 + tt * n->st; t <= tLast; t++) {
		long iLast = least(N, 1 + (ti + 1) * n->si - t);
		long jFirst = most(1, 2 + tj * n->sj - t), jLast = least(N, 1 + (tj + 1) * n->sj - t);
		for (long i = most(1, 2 + ti * n->si - t); i <= iLast; i++) {
			electric(N, i, jFirst, jLast, n->ex, n->ey, n->hz);
			magnetic(N, i - 1, jFirst - 1, jLast - 1, n->ex, n->ey, n->hz);
		}
	}
}

// field allocates and fills array number k of the file.
static double *field(int k, long size) {
	double *f = cells(size, sizeof *f);
	for (long x = 0; x < size; x++)
		f[x] = random_float64(k, (uint64_t)x);
	return f;
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 500), N = number("N", 250);
	long size = (N + 1) * (N + 1);
	struct nest n = {T, N, number("side_t", 32), number("side_i", 64), number("side_j", 512), field(0, size), field(1, size), field(2, size)};
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(&n);
	else if (is_variant("tiled"))
		wavefront(tiles(T, n.st), tiles(T + N - 1, n.si), tiles(T + N - 1, n.sj), tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	uint64_t sum = 0;
	if (wants_checksum()) {
		sum = checksum(sum, n.ex, (size_t)size * sizeof(double));
		sum = checksum(sum, n.ey, (size_t)size * sizeof(double));
		sum = checksum(sum, n.hz, (size_t)size * sizeof(double));
	}
	report(seconds, (double)T * (double)N * (double)N, sum);
	free(n.ex);
	free(n.ey);
	free(n.hz);
	return 0;
}
