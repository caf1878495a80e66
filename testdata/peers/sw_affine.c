// The nest of sw_affine.loop: Smith-Waterman with affine gaps. Of the tables one
// row is stored; the last one of H is the result.
#include "peer.h"

enum { OPEN = 11, EXTEND = 1, MATCH = 5, MISS = -4, NONE = -1000000 };

static inline int32_t greater(int32_t x, int32_t y) { return x > y ? x : y; }

static void plain(long M, long N, const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict H, int32_t *restrict F) {
	for (long i = 1; i <= M; i++) {
		int32_t diagonal = 0, left = 0, E = NONE; // H[i-1,j-1], H[i,j-1], E[i,j-1]
		for (long j = 1; j <= N; j++) {
			int32_t score = a[i] == b[j] ? MATCH : MISS;
			E = greater(E - EXTEND, left - OPEN);
			F[j] = greater(F[j] - EXTEND, H[j] - OPEN);
			left = greater(greater(0, diagonal + score), greater(E, F[j]));
			diagonal = H[j];
			H[j] = left;
		}
	}
}

// A tile takes the rows above it from H and F and leaves its last ones there; its
// last columns are in column and gaps, and corner[ti] is what H had at its upper
// right: the row above it will be overwritten before the tile to the right runs.
struct nest {
	long M, N, si, sj;
	const uint8_t *a, *b;
	int32_t *H, *F, *column, *gaps, *corner;
};

static void tile(const void *nest, long ti, long tj, long unused) {
	(void)unused;
	struct nest n = *(const struct nest *)nest;
	const uint8_t *restrict a = n.a, *restrict b = n.b;
	int32_t *restrict H = n.H, *restrict F = n.F, *restrict column = n.column, *restrict gaps = n.gaps;
	long iLast = least(n.M, (ti + 1) * n.si), jLast = least(n.N, (tj + 1) * n.sj);
	int32_t above = n.corner[ti];
	n.corner[ti] = H[jLast];
	for (long i = 1 + ti * n.si; i <= iLast; i++) {
		int32_t diagonal = above, left = column[i], E = gaps[i];
		above = left;
		for (long j = 1 + tj * n.sj; j <= jLast; j++) {
			int32_t score = a[i] == b[j] ? MATCH : MISS;
			E = greater(E - EXTEND, left - OPEN);
			F[j] = greater(F[j] - EXTEND, H[j] - OPEN);
			left = greater(greater(0, diagonal + score), greater(E, F[j]));
			diagonal = H[j];
			H[j] = left;
		}
		column[i] = left;
		gaps[i] = E;
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long M = number("M", 1000), N = number("N", 1000);
	uint8_t *a = cells(M + 1, 1), *b = cells(N + 1, 1); // [0] is not used
	for (long k = 1; k <= M; k++)
		a[k] = random_uint8(0, (uint64_t)k - 1);
	for (long k = 1; k <= N; k++)
		b[k] = random_uint8(1, (uint64_t)k - 1);
	int32_t *H = cells(N + 1, sizeof *H), *F = cells(N + 1, sizeof *F);
	int32_t *column = cells(M + 1, sizeof *column), *gaps = cells(M + 1, sizeof *gaps), *corner = cells(M + 1, sizeof *corner);
	for (long k = 0; k <= N; k++) {
		H[k] = 0;
		F[k] = NONE;
	}
	for (long k = 0; k <= M; k++) {
		column[k] = corner[k] = 0;
		gaps[k] = NONE;
	}
	struct nest n = {M, N, number("side_i", 128), number("side_j", 512), a, b, H, F, column, gaps, corner};
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(M, N, a, b, H, F);
	else if (is_variant("tiled"))
		wavefront(tiles(M, n.si), tiles(N, n.sj), 1, tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	report(seconds, (double)M * (double)N, wants_checksum() ? checksum(0, H, (size_t)(N + 1) * sizeof *H) : 0);
	free(a);
	free(b);
	free(H);
	free(F);
	free(column);
	free(gaps);
	free(corner);
	return 0;
}
