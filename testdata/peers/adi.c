// The nest of adi.loop: two levels of two arrays that take turns.
#include "peer.h"

// row computes cells first..last of row i of a level from the level before. A has
// the stride of the others; its row and column 0 are not used.
static inline void row(long s, long i, long first, long last, const float *restrict A, const float *restrict X0,
		       const float *restrict B0, float *restrict X, float *restrict B) {
	for (long j = first; j <= last; j++) {
		long at = i * s + j;
		float a = A[at];
		X[at] = X0[at] + X0[at - 1] * a / B0[at - 1] - X0[at - s] * a / B0[at - s];
		B[at] = B0[at] - a * a / B0[at - 1] - a * a / B0[at - s];
	}
}

// No dependence runs backwards between tiles of t, i' = i + t and j' = j + t.
struct nest {
	long T, N, st, si, sj;
	float *A, *X[2], *B[2];
};

static void plain(struct nest n) {
	for (long t = 1; t <= n.T; t++)
		for (long i = 1; i <= n.N; i++)
			row(n.N + 1, i, 1, n.N, n.A, n.X[(t - 1) % 2], n.B[(t - 1) % 2], n.X[t % 2], n.B[t % 2]);
}

static void tile(const void *nest, long tt, long ti, long tj) {
	struct nest n = *(const struct nest *)nest;
	long tLast = least(n.T, (tt + 1) * n.st);
	for (long t = 1 + tt * n.st; t <= tLast; t++) {
		long iLast = least(n.N, 1 + (ti + 1) * n.si - t);
		long jFirst = most(1, 2 + tj * n.sj - t), jLast = least(n.N, 1 + (tj + 1) * n.sj - t);
		for (long i = most(1, 2 + ti * n.si - t); i <= iLast; i++)
			row(n.N + 1, i, jFirst, jLast, n.A, n.X[(t - 1) % 2], n.B[(t - 1) % 2], n.X[t % 2], n.B[t % 2]);
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long T = number("T", 64), N = number("N", 500);
	long size = (N + 1) * (N + 1);
	struct nest n = {.T = T, .N = N, .st = number("side_t", 16), .si = number("side_i", 32), .sj = number("side_j", 2048)};
	n.A = cells(size, sizeof *n.A);
	for (long i = 0; i <= N; i++)
		for (long j = 0; j <= N; j++)
			n.A[i * (N + 1) + j] = i > 0 && j > 0 ? random_float32(0, (uint64_t)((i - 1) * N + j - 1)) : 0.0f;
	for (int level = 0; level < 2; level++) {
		n.X[level] = cells(size, sizeof *n.X[level]);
		n.B[level] = cells(size, sizeof *n.B[level]);
		for (long k = 0; k < size; k++) {
			n.X[level][k] = random_float32(1, (uint64_t)k);
			n.B[level][k] = 100.0f + random_float32(2, (uint64_t)k);
		}
	}
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(n);
	else if (is_variant("tiled"))
		wavefront(tiles(T, n.st), tiles(T + N - 1, n.si), tiles(T + N - 1, n.sj), tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	uint64_t sum = 0;
	if (wants_checksum()) {
		sum = checksum(sum, n.X[T % 2], (size_t)size * sizeof(float));
		sum = checksum(sum, n.B[T % 2], (size_t)size * sizeof(float));
	}
	report(seconds, (double)T * (double)N * (double)N, sum);
	free(n.A);
	for (int level = 0; level < 2; level++) {
		free(n.X[level]);
		free(n.B[level]);
	}
	return 0;
}
