// The nest of pipeline_whole.loop on several ranks: rank r has a block of j, and
// tiles along k follow one another. A tile needs the last row j of the rank before,
// for every i, and gives its own to the next one.
//
//	blocking  receive, compute, send: a send returns when the face has arrived
//	overlap   the next face is received, and the last one sent, while a tile is
//	          computed
#include <mpi.h>

#include "peer.h"

// A slab is the part of a rank: rows first-1..last of j, the first of them a ghost.
struct slab {
	long X, Z, rows, stride_i, stride_j;
	float *A;
};

static void compute(struct slab s, long first, long last) {
	float *restrict A = s.A;
	if (sleep_instead((double)s.X * (double)s.rows * (double)(last - first + 1)))
		return;
	for (long i = 1; i <= s.X; i++)
		for (long j = 1; j <= s.rows; j++)
			for (long k = first; k <= last; k++) {
				long at = i * s.stride_i + j * s.stride_j + k;
				A[at] = 0.3f * A[at - s.stride_i] + 0.3f * A[at - s.stride_j] + 0.4f * A[at - 1];
			}
}

// copy moves row j of every i, columns first..last, into a face or out of it.
static void copy(struct slab s, long j, long first, long last, float *face, int out) {
	size_t width = (size_t)(last - first + 1);
	for (long i = 1; i <= s.X; i++) {
		float *row = s.A + i * s.stride_i + j * s.stride_j + first;
		if (out)
			memcpy(face + (size_t)(i - 1) * width, row, width * sizeof *row);
		else
			memcpy(row, face + (size_t)(i - 1) * width, width * sizeof *row);
	}
}

// gather returns the checksum of the whole array on rank 0.
static uint64_t gather(struct slab s, long Y, int rank, int ranks) {
	long plane = (Y + 1) * s.stride_j;
	float *whole = cells(rank == 0 ? (s.X + 1) * plane : 1, sizeof *whole);
	for (long i = 0; i <= s.X; i++) {
		float *own = s.A + i * s.stride_i;
		if (rank > 0) {
			MPI_Send(own + s.stride_j, (int)(s.rows * s.stride_j), MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
			continue;
		}
		float *row = whole + i * plane;
		memcpy(row, own, (size_t)((s.rows + 1) * s.stride_j) * sizeof *row);
		for (int r = 1; r < ranks; r++) {
			long before = Y * r / ranks, n = Y * (r + 1) / ranks - before;
			MPI_Recv(row + (before + 1) * s.stride_j, (int)(n * s.stride_j), MPI_FLOAT, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
	uint64_t sum = rank == 0 ? checksum(0, whole, (size_t)((s.X + 1) * plane) * sizeof *whole) : 0;
	free(whole);
	return sum;
}

static void blocking(struct slab s, long side, int rank, int ranks, float *face) {
	for (long first = 1; first <= s.Z; first += side) {
		long last = least(s.Z, first + side - 1);
		int count = (int)(s.X * (last - first + 1));
		if (rank > 0) {
			MPI_Recv(face, count, MPI_FLOAT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			copy(s, 0, first, last, face, 0);
		}
		compute(s, first, last);
		if (rank < ranks - 1) {
			copy(s, s.rows, first, last, face, 1);
			MPI_Ssend(face, count, MPI_FLOAT, rank + 1, 0, MPI_COMM_WORLD);
		}
	}
}

static void overlap(struct slab s, long side, int rank, int ranks, float *in[2], float *out[2]) {
	MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
	if (rank > 0)
		MPI_Irecv(in[0], (int)(s.X * least(side, s.Z)), MPI_FLOAT, rank - 1, 0, MPI_COMM_WORLD, &receive);
	for (long first = 1, turn = 0; first <= s.Z; first += side, turn = 1 - turn) {
		long last = least(s.Z, first + side - 1);
		if (rank > 0) {
			MPI_Wait(&receive, MPI_STATUS_IGNORE);
			long next = least(side, s.Z - last);
			if (next > 0)
				MPI_Irecv(in[1 - turn], (int)(s.X * next), MPI_FLOAT, rank - 1, 0, MPI_COMM_WORLD, &receive);
			copy(s, 0, first, last, in[turn], 0);
		}
		compute(s, first, last);
		if (rank < ranks - 1) {
			copy(s, s.rows, first, last, out[turn], 1);
			MPI_Wait(&send, MPI_STATUS_IGNORE);
			MPI_Isend(out[turn], (int)(s.X * (last - first + 1)), MPI_FLOAT, rank + 1, 0, MPI_COMM_WORLD, &send);
		}
	}
	MPI_Wait(&send, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	start(argc, argv);
	int rank, ranks;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	long X = number("X", 64), Y = number("Y", 64), Z = number("Z", 1024), side = number("side_k", 256);
	long before = Y * rank / ranks;
	struct slab s = {.X = X, .Z = Z, .rows = Y * (rank + 1) / ranks - before, .stride_j = Z + 1};
	s.stride_i = (s.rows + 1) * s.stride_j;
	s.A = cells((X + 1) * s.stride_i, sizeof *s.A);
	for (long k = 0; k < s.stride_i; k++) {
		float value = random_float32(0, (uint64_t)(before * s.stride_j + k));
		for (long i = 0; i <= X; i++)
			s.A[i * s.stride_i + k] = value;
	}
	float *face[4];
	for (int k = 0; k < 4; k++) {
		face[k] = cells(X * side, sizeof *face[k]);
		memset(face[k], 0, (size_t)(X * side) * sizeof *face[k]);
	}
	settle();
	MPI_Barrier(MPI_COMM_WORLD);
	double began = now();
	if (is_variant("blocking"))
		blocking(s, side, rank, ranks, face[0]);
	else if (is_variant("overlap"))
		overlap(s, side, rank, ranks, face, face + 2);
	else
		unknown_variant();
	MPI_Barrier(MPI_COMM_WORLD);
	double seconds = now() - began, slowest;
	MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	uint64_t sum = wants_checksum() ? gather(s, Y, rank, ranks) : 0;
	if (rank == 0)
		report(slowest, (double)X * (double)Y * (double)Z, sum);
	free(s.A);
	for (int k = 0; k < 4; k++)
		free(face[k]);
	MPI_Finalize();
	return 0;
}
