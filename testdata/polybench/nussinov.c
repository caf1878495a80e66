// The loops of nussinov.loop.
#include "peer.h"

static inline int32_t max_score(int32_t a, int32_t b) { return a >= b ? a : b; }
static inline int32_t match(int32_t a, int32_t b) { return a + b == 3 ? 1 : 0; }

static void loops(long N, int32_t *restrict seq, int32_t (*restrict table)[N]) {
	for (long i = N - 1; i >= 0; i--)
		for (long j = i + 1; j < N; j++) {
			if (j - 1 >= 0)
				table[i][j] = max_score(table[i][j], table[i][j - 1]);
			if (i + 1 < N)
				table[i][j] = max_score(table[i][j], table[i + 1][j]);
			if (j - 1 >= 0 && i + 1 < N) {
				if (i < j - 1)
					table[i][j] = max_score(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
				else
					table[i][j] = max_score(table[i][j], table[i + 1][j - 1]);
			}
			for (long k = i + 1; k < j; k++)
				table[i][j] = max_score(table[i][j], table[i][k] + table[k + 1][j]);
		}
}

int main(int argc, char **argv) {
	start(argc, argv);
	long N = number("N", 60);
	int32_t *seq = given_int32(0, N);
	int32_t (*table)[N] = (void *)given_int32(1, N * N);
	for (long i = 0; i < N; i++) {
		seq[i] = (seq[i] + 100) % 4; // the bases
		for (long j = 0; j < N; j++)
			table[i][j] = 0;
	}
	supplied("seq", seq, 0, N, "i4", sizeof(int32_t));
	supplied("table", table, N, N, "i4", sizeof(int32_t));
	MEASURE(0, loops(N, seq, table));
	result(table, N * N, sizeof(int32_t));
	return finish();
}
