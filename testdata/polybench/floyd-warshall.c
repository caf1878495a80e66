// The loops of floyd-warshall.loop.
#include "peer.h"

static void loops(long N, int32_t (*restrict path)[N]) {
	for (long k = 0; k < N; k++)
		for (long i = 0; i < N; i++)
			for (long j = 0; j < N; j++)
				path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 60);
	int32_t (*path)[N] = (void *)given_int32(0, N * N);
	for (long i = 0; i < N; i++)
		for (long j = 0; j < N; j++)
			path[i][j] += 101; // lengths above 0
	supplied("path", path, N, N, "i4", sizeof(int32_t));
	MEASURE(0, loops(N, path));
	result(path, N * N, sizeof(int32_t));
	return finish();
}
