// The nest of pipeline_whole.loop: the pipeline kernel, the whole array kept.
#include "peer.h"

static void plain(long X, long Y, long Z, float *restrict A) {
	long sj = Z + 1, si = (Y + 1) * sj;
	for (long i = 1; i <= X; i++)
		for (long j = 1; j <= Y; j++)
			for (long k = 1; k <= Z; k++) {
				long at = i * si + j * sj + k;
				A[at] = 0.3f * A[at - si] + 0.3f * A[at - sj] + 0.4f * A[at - 1];
			}
}

struct nest {
	long X, Y, Z, si, sj, sk;
	float *A;
};

static void tile(const void *nest, long ti, long tj, long tk) {
	struct nest n = *(const struct nest *)nest;
	float *restrict A = n.A;
	long strideJ = n.Z + 1, strideI = (n.Y + 1) * strideJ;
	long iLast = least(n.X, (ti + 1) * n.si), jLast = least(n.Y, (tj + 1) * n.sj), kLast = least(n.Z, (tk + 1) * n.sk);
	for (long i = 1 + ti * n.si; i <= iLast; i++)
		for (long j = 1 + tj * n.sj; j <= jLast; j++)
			for (long k = 1 + tk * n.sk; k <= kLast; k++) {
				long at = i * strideI + j * strideJ + k;
				A[at] = 0.3f * A[at - strideI] + 0.3f * A[at - strideJ] + 0.4f * A[at - 1];
			}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long X = number("X", 64), Y = number("Y", 64), Z = number("Z", 1024);
	long plane = (Y + 1) * (Z + 1);
	float *A = cells((X + 1) * plane, sizeof *A);
	for (long k = 0; k < plane; k++) {
		float value = random_float32(0, (uint64_t)k);
		for (long i = 0; i <= X; i++)
			A[i * plane + k] = value;
	}
	struct nest n = {X, Y, Z, number("side_i", 16), number("side_j", 64), number("side_k", 512), A};
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(X, Y, Z, A);
	else if (is_variant("tiled"))
		wavefront(tiles(X, n.si), tiles(Y, n.sj), tiles(Z, n.sk), tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	report(seconds, (double)X * (double)Y * (double)Z,
	       wants_checksum() ? checksum(0, A, (size_t)((X + 1) * plane) * sizeof *A) : 0);
	free(A);
	return 0;
}
