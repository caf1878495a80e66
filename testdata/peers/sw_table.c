// The nest of sw_table.loop: Smith-Waterman with linear gaps, the whole table kept.
#include "peer.h"

enum { GAP = 6, MATCH = 5, MISS = -4 };

static inline int32_t greater(int32_t x, int32_t y) { return x > y ? x : y; }

static void plain(long M, long N, const uint8_t *restrict a, const uint8_t *restrict b, int32_t *restrict H) {
	long s = N + 1;
	for (long i = 1; i <= M; i++)
		for (long j = 1; j <= N; j++) {
			int32_t score = a[i] == b[j] ? MATCH : MISS;
			int32_t gap = greater(H[(i - 1) * s + j] - GAP, H[i * s + j - 1] - GAP);
			H[i * s + j] = greater(greater(0, H[(i - 1) * s + j - 1] + score), gap);
		}
}

struct nest {
	long M, N, si, sj;
	const uint8_t *a, *b;
	int32_t *H;
};

static void tile(const void *nest, long ti, long tj, long unused) {
	(void)unused;
	struct nest n = *(const struct nest *)nest;
	const uint8_t *restrict a = n.a, *restrict b = n.b;
	int32_t *restrict H = n.H;
	long s = n.N + 1;
	long iLast = least(n.M, (ti + 1) * n.si), jLast = least(n.N, (tj + 1) * n.sj);
	for (long i = 1 + ti * n.si; i <= iLast; i++)
		for (long j = 1 + tj * n.sj; j <= jLast; j++) {
			int32_t score = a[i] == b[j] ? MATCH : MISS;
			int32_t gap = greater(H[(i - 1) * s + j] - GAP, H[i * s + j - 1] - GAP);
			H[i * s + j] = greater(greater(0, H[(i - 1) * s + j - 1] + score), gap);
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
	size_t bytes = (size_t)((M + 1) * (N + 1)) * sizeof(int32_t);
	int32_t *H = cells((M + 1) * (N + 1), sizeof *H);
	memset(H, 0, bytes);
	struct nest n = {M, N, number("side_i", 512), number("side_j", 1024), a, b, H};
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(M, N, a, b, H);
	else if (is_variant("tiled"))
		wavefront(tiles(M, n.si), tiles(N, n.sj), 1, tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	report(seconds, (double)M * (double)N, wants_checksum() ? checksum(0, H, bytes) : 0);
	free(a);
	free(b);
	free(H);
	return 0;
}
