// The little of MPI that package mpi uses: writes into the memory of another
// process, made of MPI_Isend and MPI_Irecv. MPI is called by one thread at a time
// (MPI_THREAD_SERIALIZED): functions may be called by any, and take turns.
//
// A function returns 0 or more, or less than 0 for an error: -code of MPI, see
// loopc_mpi_text.

#include <stddef.h>
#include <stdint.h>

#define LOOPC_MPI_AGAIN 1 // loopc_mpi_write: not now, poll first

// An endpoint of this process; a process may have several.
struct loopc_mpi;

// An event is a completion, as rma.Event has it.
struct loopc_mpi_event {
	uint64_t value;
	int32_t status;
	uint32_t remote;
};

// Begins MPI, in the thread that will end it. The threading level that MPI gives
// is too low if *level is 0.
int loopc_mpi_init(int *rank, int *size, int *level);
int loopc_mpi_finalize(void);
// What process 0 has in the buffer goes to all.
int loopc_mpi_broadcast(void *buffer, int bytes);
// The name of the implementation, and what an error code means.
void loopc_mpi_version(char *text, int bytes);
void loopc_mpi_text(int code, char *text, int bytes);

int loopc_mpi_open(struct loopc_mpi **opened, int *number);
// Ends what loopc_mpi_open began. What is still on its way is given up.
void loopc_mpi_close(struct loopc_mpi *);

// Lets others write into n bytes of memory under the key, whose low 16 bits are
// returned in *index and must be those of what they show.
int loopc_mpi_register(struct loopc_mpi *, uint64_t random, size_t bytes, void **memory, uint64_t *key);
void loopc_mpi_unregister(struct loopc_mpi *, uint64_t key, int unmap);

// Writes bytes from registered memory to the offset in the region that has this
// key, at endpoint number of process rank, and has the immediate reported there.
// With quick, the bytes may be overwritten at once, and no event comes.
int loopc_mpi_write(struct loopc_mpi *, int rank, int number, const void *memory, size_t bytes,
		    uint64_t offset, uint64_t key, uint32_t immediate, uint32_t tag, int quick);

// Gets up to count events. As long as there are none it looks again, for about so
// long.
int loopc_mpi_poll(struct loopc_mpi *, struct loopc_mpi_event *, int count, int nanoseconds);
