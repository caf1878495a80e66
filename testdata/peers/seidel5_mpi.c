// The nest of seidel5.loop on several ranks: rank r has a band of rows. Sweep t of
// a band needs the last row above it from sweep t, and the first row below it from
// sweep t-1. Rows travel in chunks of columns, so that the bands follow one another
// closely.
//
//	blocking  receive, compute, send: a send down returns when the chunk has
//	          arrived. Those up, for the next sweep, do not wait: two ranks would
//	          wait for one another.
//	overlap   the next chunks are received, and the last ones sent, while one is
//	          computed
#include <mpi.h>

#include "peer.h"

enum { DOWN = 0, UP = 1, RESULT = 2 };

// A band is the part of a rank, with a row above and a row below.
struct band {
	long T, N, rows, stride, side, chunks;
	int rank, ranks;
	double *u;
};

// A turn is one chunk of one sweep.
struct turn {
	long t, first, last;
};

static struct turn turn_at(struct band b, long q) {
	struct turn w = {1 + q / b.chunks, 1 + q % b.chunks * b.side, 0};
	w.last = least(b.N, w.first + b.side - 1);
	return w;
}

static void compute(struct band b, struct turn w) {
	double *restrict u = b.u;
	for (long i = 1; i <= b.rows; i++)
		for (long j = w.first; j <= w.last; j++) {
			long at = i * b.stride + j;
			u[at] = 0.25 * (u[at - b.stride] + u[at - 1] + u[at + b.stride] + u[at + 1]);
		}
}

// needs reports whether a chunk comes from above (DOWN) or below (UP).
static int needs(struct band b, struct turn w, int direction) {
	return direction == DOWN ? b.rank > 0 : b.rank < b.ranks - 1 && w.t > 1;
}

// gives reports whether others need a chunk.
static int gives(struct band b, struct turn w, int direction) {
	return direction == DOWN ? b.rank < b.ranks - 1 : b.rank > 0 && w.t < b.T;
}

// sweep runs the band, turn by turn.
static void sweep(struct band b, int overlapped) {
	long turns = b.T * b.chunks;
	// What is sent is copied, since the next sweep may change it before it has left.
	double *out[2][2];
	MPI_Request receive[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, send[2][2];
	double *in[2][2];
	for (int d = 0; d < 2; d++)
		for (int k = 0; k < 2; k++) {
			out[d][k] = cells(b.side, sizeof(double));
			in[d][k] = cells(b.side, sizeof(double));
			send[d][k] = MPI_REQUEST_NULL;
		}
	const int peer_of_in[2] = {b.rank - 1, b.rank + 1}, peer_of_out[2] = {b.rank + 1, b.rank - 1};
	for (long q = 0; q < turns; q++) {
		struct turn w = turn_at(b, q);
		int k = (int)(q % 2);
		for (int d = 0; d < 2; d++) {
			if (!needs(b, w, d))
				continue;
			int width = (int)(w.last - w.first + 1);
			if (!overlapped || q == 0)
				MPI_Irecv(in[d][k], width, MPI_DOUBLE, peer_of_in[d], d, MPI_COMM_WORLD, &receive[d]);
			MPI_Wait(&receive[d], MPI_STATUS_IGNORE);
			double *row = b.u + (d == DOWN ? 0 : b.rows + 1) * b.stride + w.first;
			memcpy(row, in[d][k], (size_t)width * sizeof *row);
		}
		if (overlapped && q + 1 < turns) {
			struct turn next = turn_at(b, q + 1);
			for (int d = 0; d < 2; d++)
				if (needs(b, next, d))
					MPI_Irecv(in[d][1 - k], (int)(next.last - next.first + 1), MPI_DOUBLE, peer_of_in[d], d, MPI_COMM_WORLD,
						  &receive[d]);
		}
		compute(b, w);
		for (int d = 0; d < 2; d++) {
			if (!gives(b, w, d))
				continue;
			int width = (int)(w.last - w.first + 1);
			MPI_Wait(&send[d][k], MPI_STATUS_IGNORE);
			memcpy(out[d][k], b.u + (d == DOWN ? b.rows : 1) * b.stride + w.first, (size_t)width * sizeof(double));
			if (!overlapped && d == DOWN)
				MPI_Ssend(out[d][k], width, MPI_DOUBLE, peer_of_out[d], d, MPI_COMM_WORLD);
			else
				MPI_Isend(out[d][k], width, MPI_DOUBLE, peer_of_out[d], d, MPI_COMM_WORLD, &send[d][k]);
		}
	}
	for (int d = 0; d < 2; d++)
		for (int k = 0; k < 2; k++) {
			MPI_Wait(&send[d][k], MPI_STATUS_IGNORE);
			free(out[d][k]);
			free(in[d][k]);
		}
}

// gather returns the checksum of the whole array on rank 0.
static uint64_t gather(struct band b) {
	long own = (b.rows + 2) * b.stride;
	if (b.rank > 0) {
		MPI_Send(b.u, (int)own, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
		return 0;
	}
	double *u = cells((b.N + 2) * b.stride, sizeof *u);
	memcpy(u, b.u, (size_t)own * sizeof *u);
	for (int r = 1; r < b.ranks; r++) {
		long before = b.N * r / b.ranks, rows = b.N * (r + 1) / b.ranks - before;
		// The row above is that of the rank before, which is newer.
		double *kept = cells(b.stride, sizeof *kept), *at = u + before * b.stride;
		memcpy(kept, at, (size_t)b.stride * sizeof *kept);
		MPI_Recv(at, (int)((rows + 2) * b.stride), MPI_DOUBLE, r, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		memcpy(at, kept, (size_t)b.stride * sizeof *kept);
		free(kept);
	}
	uint64_t sum = checksum(0, u, (size_t)((b.N + 2) * b.stride) * sizeof *u);
	free(u);
	return sum;
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	start(argc, argv);
	struct band b = {.T = number("T", 100), .N = number("N", 500)};
	MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
	long before = b.N * b.rank / b.ranks;
	b.rows = b.N * (b.rank + 1) / b.ranks - before;
	b.stride = b.N + 2;
	b.side = least(b.N, number("side_j", 500));
	b.chunks = tiles(b.N, b.side);
	long size = (b.rows + 2) * b.stride;
	b.u = cells(size, sizeof *b.u);
	for (long k = 0; k < size; k++)
		b.u[k] = random_float64(0, (uint64_t)(before * b.stride + k));
	if (!is_variant("blocking") && !is_variant("overlap"))
		unknown_variant();
	settle();
	MPI_Barrier(MPI_COMM_WORLD);
	double began = now();
	sweep(b, is_variant("overlap"));
	MPI_Barrier(MPI_COMM_WORLD);
	double seconds = now() - began, slowest;
	MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	uint64_t sum = wants_checksum() ? gather(b) : 0;
	if (b.rank == 0)
		report(slowest, (double)b.T * (double)b.N * (double)b.N, sum);
	free(b.u);
	MPI_Finalize();
	return 0;
}
