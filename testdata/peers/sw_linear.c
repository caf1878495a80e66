// The nest of sw_linear.loop: Smith-Waterman with linear gaps. Of the table one
// row is stored; the last one is the result.
#include "peer.h"

enum { GAP = 6, MATCH = 5, MISS = -4 };

static inline int32_t greater(int32_t x, int32_t y) { return x > y ? x : y; }

static void plain(long M, long N, const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict H) {
	for (long i = 1; i <= M; i++) {
		int32_t diagonal = 0, left = 0; // H[i-1,j-1] and H[i,j-1]
		for (long j = 1; j <= N; j++) {
			int32_t score = a[i] == b[j] ? MATCH : MISS;
			left = greater(greater(0, diagonal + score), greater(H[j] - GAP, left - GAP));
			diagonal = H[j];
			H[j] = left;
		}
	}
}

// A tile takes the row above it from H and leaves its last row there; its last
// column is in column, and corner[ti] is what was at its upper right: the row
// above it will be overwritten before the tile to the right runs.
struct nest {
	long M, N, si, sj;
	const uint8_t *a, *b;
	int32_t *H, *column, *corner;
};

static void tile(const void *nest, long ti, long tj, long unused) {
	(void)unused;
	struct nest n = *(const struct nest *)nest;
	const uint8_t *restrict a = n.a, *restrict b = n.b;
	int32_t *restrict H = n.H, *restrict column = n.column;
	long iLast = least(n.M, (ti + 1) * n.si), jLast = least(n.N, (tj + 1) * n.sj);
	int32_t above = n.corner[ti];
	n.corner[ti] = H[jLast];
	for (long i = 1 + ti * n.si; i <= iLast; i++) {
		int32_t diagonal = above, left = column[i];
		above = left;
		for (long j = 1 + tj * n.sj; j <= jLast; j++) {
			int32_t score = a[i] == b[j] ? MATCH : MISS;
			left = greater(greater(0, diagonal + score), greater(H[j] - GAP, left - GAP));
			diagonal = H[j];
			H[j] = left;
		}
		column[i] = left;
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
	int32_t *H = cells(N + 1, sizeof *H), *column = cells(M + 1, sizeof *column), *corner = cells(M + 1, sizeof *corner);
	for (long k = 0; k <= N; k++)
		H[k] = 0;
	for (long k = 0; k <= M; k++)
		column[k] = corner[k] = 0;
	struct nest n = {M, N, number("side_i", 512), number("side_j", 256), a, b, H, column, corner};
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(M, N, a, b, H);
	else if (is_variant("tiled"))
		wavefront(tiles(M, n.si), tiles(N, n.sj), 1, tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	report(seconds, (double)M * (double)N, wants_checksum() ? checksum(0, H, (size_t)(N + 1) * sizeof *H) : 0);
	free(a);
	free(b);
	free(H);
	free(column);
	free(corner);
	return 0;
}
