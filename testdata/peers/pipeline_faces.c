// The nest of pipeline_faces.loop: the pipeline kernel in one plane.
#include "peer.h"

static void plain(long X, long Y, long Z, float *restrict a) {
	long s = Z + 1;
	for (long i = 1; i <= X; i++)
		for (long j = 1; j <= Y; j++)
			for (long k = 1; k <= Z; k++)
				a[j * s + k] = 0.3f * a[j * s + k] + 0.3f * a[(j - 1) * s + k] + 0.4f * a[j * s + k - 1];
}

// A cell must not be overwritten before its neighbors have read it, which needs
// tiles of j' = j + i and k' = k + i.
struct nest {
	long X, Y, Z, si, sj, sk;
	float *a;
};

static void tile(const void *nest, long ti, long tj, long tk) {
	struct nest n = *(const struct nest *)nest;
	float *restrict a = n.a;
	long s = n.Z + 1;
	long iLast = least(n.X, (ti + 1) * n.si);
	for (long i = 1 + ti * n.si; i <= iLast; i++) {
		long jLast = least(n.Y, 1 + (tj + 1) * n.sj - i), kLast = least(n.Z, 1 + (tk + 1) * n.sk - i);
		long kFirst = most(1, 2 + tk * n.sk - i);
		for (long j = most(1, 2 + tj * n.sj - i); j <= jLast; j++)
			for (long k = kFirst; k <= kLast; k++)
				a[j * s + k] = 0.3f * a[j * s + k] + 0.3f * a[(j - 1) * s + k] + 0.4f * a[j * s + k - 1];
	}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long X = number("X", 64), Y = number("Y", 64), Z = number("Z", 1024);
	long size = (Y + 1) * (Z + 1);
	float *a = cells(size, sizeof *a);
	for (long k = 0; k < size; k++)
		a[k] = random_float32(0, (uint64_t)k);
	struct nest n = {X, Y, Z, number("side_i", 32), number("side_j", 32), number("side_k", 16), a};
	settle();
	double began = now();
	if (is_variant("plain"))
		plain(X, Y, Z, a);
	else if (is_variant("tiled"))
		wavefront(tiles(X, n.si), tiles(X + Y - 1, n.sj), tiles(X + Z - 1, n.sk), tile, &n);
	else
		unknown_variant();
	double seconds = now() - began;
	report(seconds, (double)X * (double)Y * (double)Z, wants_checksum() ? checksum(0, a, (size_t)size * sizeof *a) : 0);
	free(a);
	return 0;
}
