//go:build mpi && cgo && unix

#define _GNU_SOURCE
#include "shim.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>

// A write travels as a message to the endpoint: a head, with the bytes behind it if
// they are few. More bytes are a message of their own, which MPI moves into the
// region without a copy where it can; the head says its tag.
struct head {
	uint64_t bytes, offset, key;
	uint32_t immediate;
	int32_t bulk; // tag of the message with the bytes, 0: they follow here
};

enum {
	FEW = 4096,         // bytes that travel with the head
	INBOX = 64,         // heads that are received ahead
	WRITES = 1024,      // writes under way
	BULKS = 1024,       // long messages that are received at a time
	REGIONS = 1 << 16,  // of an endpoint
	ENDPOINTS = 1 << 14 // of a process in all its life; their numbers are tags
};

struct letter {
	struct head head;
	char bytes[FEW];
};

// A write of ours.
struct ticket {
	struct letter letter;
	MPI_Request requests[2]; // of the letter, of the long message
	struct ticket *next;     // free
	uint32_t tag;
	int quick;
};

// A long message that is on its way to us.
struct bulk {
	MPI_Request request;
	uint32_t immediate;
};

struct place {
	void *memory;
	size_t bytes;
	uint64_t key;
};

struct loopc_mpi {
	int number;
	struct letter inbox[INBOX];
	MPI_Request receives[INBOX];
	int first; // the receive that was posted first, and is matched first
	struct ticket *free, *active[WRITES];
	int actives;
	struct bulk bulks[BULKS];
	int bulked;
	struct place *places;
	uint32_t placed;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm comm = MPI_COMM_NULL;
static int endpoints, bulk_tag, most_tag;

#define LOOKS 4 // for events, between two at the clock
#define TRY(call) do { int status_ = (call); if (status_ != MPI_SUCCESS) return -status_; } while (0)

static int init(int *rank, int *size, int *level)
{
	int got, found, *most;
	TRY(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &got));
	*level = got >= MPI_THREAD_SERIALIZED;
	TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	TRY(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
	TRY(MPI_Comm_get_attr(comm, MPI_TAG_UB, &most, &found));
	most_tag = found ? *most : 32767;
	bulk_tag = ENDPOINTS;
	TRY(MPI_Comm_rank(comm, rank));
	TRY(MPI_Comm_size(comm, size));
	return 0;
}

int loopc_mpi_init(int *rank, int *size, int *level)
{
	int status;
	pthread_mutex_lock(&turn);
	status = init(rank, size, level);
	pthread_mutex_unlock(&turn);
	return status;
}

int loopc_mpi_finalize(void)
{
	int status;
	pthread_mutex_lock(&turn);
	status = -MPI_Finalize();
	pthread_mutex_unlock(&turn);
	return status;
}

int loopc_mpi_broadcast(void *buffer, int bytes)
{
	int status;
	pthread_mutex_lock(&turn);
	status = -MPI_Bcast(buffer, bytes, MPI_BYTE, 0, comm);
	pthread_mutex_unlock(&turn);
	return status;
}

void loopc_mpi_version(char *text, int bytes)
{
	char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int n;
	MPI_Get_library_version(all, &n);
	strncpy(text, all, bytes - 1);
	text[bytes - 1] = 0;
}

void loopc_mpi_text(int code, char *text, int bytes)
{
	char all[MPI_MAX_ERROR_STRING] = "";
	int n;
	pthread_mutex_lock(&turn);
	MPI_Error_string(code, all, &n);
	pthread_mutex_unlock(&turn);
	strncpy(text, all, bytes - 1);
	text[bytes - 1] = 0;
}

static int receive(struct loopc_mpi *m, int k)
{
	return -MPI_Irecv(&m->inbox[k], sizeof m->inbox[k], MPI_BYTE, MPI_ANY_SOURCE, m->number, comm, &m->receives[k]);
}

int loopc_mpi_open(struct loopc_mpi **opened, int *number)
{
	struct loopc_mpi *m = calloc(1, sizeof *m);
	int k, status = 0;
	if (!m)
		return -MPI_ERR_NO_MEM;
	m->places = calloc(REGIONS, sizeof *m->places);
	if (!m->places) {
		free(m);
		return -MPI_ERR_NO_MEM;
	}
	for (k = 0; k < INBOX; k++)
		m->receives[k] = MPI_REQUEST_NULL;
	pthread_mutex_lock(&turn);
	if (endpoints == ENDPOINTS)
		status = -MPI_ERR_TAG;
	else
		m->number = endpoints++;
	for (k = 0; status == 0 && k < INBOX; k++)
		status = receive(m, k);
	pthread_mutex_unlock(&turn);
	if (status) {
		loopc_mpi_close(m);
		return status;
	}
	*opened = m;
	*number = m->number;
	return 0;
}

void loopc_mpi_close(struct loopc_mpi *m)
{
	int k, lost = 0;
	pthread_mutex_lock(&turn);
	for (k = 0; k < INBOX; k++) {
		if (m->receives[k] == MPI_REQUEST_NULL)
			continue;
		MPI_Cancel(&m->receives[k]);
		MPI_Wait(&m->receives[k], MPI_STATUS_IGNORE);
	}
	for (k = 0; k < m->bulked; k++) {
		MPI_Cancel(&m->bulks[k].request);
		MPI_Request_free(&m->bulks[k].request);
	}
	for (k = 0; k < m->actives; k++) {
		MPI_Status unread[2]; // MPICH's header lets gcc warn of MPI_STATUSES_IGNORE
		int sent = 0;
		MPI_Testall(2, m->active[k]->requests, &sent, unread);
		if (sent)
			free(m->active[k]);
		else
			lost++; // MPI still reads from it
	}
	pthread_mutex_unlock(&turn);
	while (m->free) {
		struct ticket *t = m->free;
		m->free = t->next;
		free(t);
	}
	free(m->places);
	if (!lost)
		free(m);
}

int loopc_mpi_register(struct loopc_mpi *m, uint64_t random, size_t bytes, void **memory, uint64_t *key)
{
	uint32_t k;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -MPI_ERR_NO_MEM;
	pthread_mutex_lock(&turn);
	for (k = 0; k < m->placed && m->places[k].memory; k++)
		;
	if (k == REGIONS) {
		pthread_mutex_unlock(&turn);
		munmap(p, bytes);
		return -MPI_ERR_NO_MEM;
	}
	if (k == m->placed)
		m->placed++;
	*key = (random & ~(uint64_t)0xffff) | k;
	m->places[k] = (struct place){.memory = p, .bytes = bytes, .key = *key};
	pthread_mutex_unlock(&turn);
	*memory = p;
	return 0;
}

void loopc_mpi_unregister(struct loopc_mpi *m, uint64_t key, int unmap)
{
	struct place p;
	pthread_mutex_lock(&turn);
	p = m->places[key & 0xffff];
	m->places[key & 0xffff] = (struct place){0};
	pthread_mutex_unlock(&turn);
	if (unmap)
		munmap(p.memory, p.bytes);
}

// start sends what t says.
static int start(struct loopc_mpi *m, struct ticket *t, int rank, int number, const void *memory)
{
	size_t bytes = t->letter.head.bytes;
	int length = sizeof t->letter.head;
	t->requests[0] = t->requests[1] = MPI_REQUEST_NULL;
	if (bytes <= FEW) {
		memcpy(t->letter.bytes, memory, bytes);
		length += bytes;
	} else {
		if (++bulk_tag > most_tag)
			bulk_tag = ENDPOINTS + 1;
		t->letter.head.bulk = bulk_tag;
	}
	TRY(MPI_Isend(&t->letter, length, MPI_BYTE, rank, number, comm, &t->requests[0]));
	if (bytes > FEW)
		TRY(MPI_Isend(memory, (int)bytes, MPI_BYTE, rank, bulk_tag, comm, &t->requests[1]));
	return 0;
}

int loopc_mpi_write(struct loopc_mpi *m, int rank, int number, const void *memory, size_t bytes,
		    uint64_t offset, uint64_t key, uint32_t immediate, uint32_t tag, int quick)
{
	struct ticket *t;
	int status;
	pthread_mutex_lock(&turn);
	t = m->free;
	if (m->actives == WRITES) {
		pthread_mutex_unlock(&turn);
		return LOOPC_MPI_AGAIN;
	}
	if (t)
		m->free = t->next;
	else
		t = malloc(sizeof *t);
	if (!t) {
		pthread_mutex_unlock(&turn);
		return -MPI_ERR_NO_MEM;
	}
	t->letter.head = (struct head){.bytes = bytes, .offset = offset, .key = key, .immediate = immediate};
	t->tag = tag;
	t->quick = quick && bytes <= FEW;
	status = start(m, t, rank, number, memory);
	m->active[m->actives++] = t;
	pthread_mutex_unlock(&turn);
	return status;
}

// where returns the place that a head names, NULL if there is none.
static void *where(struct loopc_mpi *m, const struct head *h)
{
	struct place *p = &m->places[h->key & 0xffff];
	if (!p->memory || p->key != h->key || h->offset > p->bytes || h->bytes > p->bytes - h->offset)
		return NULL;
	return (char *)p->memory + h->offset;
}

// read_head takes the next head out of the inbox, if there is one. It returns the number
// of events, which is 1 if all bytes came with it.
static int read_head(struct loopc_mpi *m, struct loopc_mpi_event *e)
{
	int k = m->first, there = 0, length = 0, events = 0, posted;
	struct head *h = &m->inbox[k].head;
	MPI_Status status;
	void *to;
	TRY(MPI_Test(&m->receives[k], &there, &status));
	if (!there)
		return 0;
	TRY(MPI_Get_count(&status, MPI_BYTE, &length));
	to = where(m, h);
	if (length < (int)sizeof *h || !to)
		return -MPI_ERR_BUFFER;
	if (h->bulk) {
		struct bulk *b = &m->bulks[m->bulked++];
		b->immediate = h->immediate;
		TRY(MPI_Irecv(to, (int)h->bytes, MPI_BYTE, status.MPI_SOURCE, h->bulk, comm, &b->request));
	} else {
		if (h->bytes != length - sizeof *h)
			return -MPI_ERR_COUNT;
		memcpy(to, m->inbox[k].bytes, h->bytes);
		*e = (struct loopc_mpi_event){.value = h->immediate, .remote = 1};
		events = 1;
	}
	m->first = (k + 1) % INBOX;
	posted = receive(m, k);
	return posted ? posted : events;
}

// look looks once.
static int look(struct loopc_mpi *m, struct loopc_mpi_event *events, int count)
{
	int k, n = 0, got;
	for (k = 0; k < INBOX && n < count && m->bulked < BULKS; k++) {
		int before = m->first;
		got = read_head(m, &events[n]);
		if (got < 0)
			return got;
		n += got;
		if (m->first == before)
			break;
	}
	for (k = 0; k < m->bulked && n < count; k++) {
		TRY(MPI_Test(&m->bulks[k].request, &got, MPI_STATUS_IGNORE));
		if (!got)
			continue;
		events[n++] = (struct loopc_mpi_event){.value = m->bulks[k].immediate, .remote = 1};
		m->bulks[k--] = m->bulks[--m->bulked];
	}
	for (k = 0; k < m->actives && n < count; k++) {
		struct ticket *t = m->active[k];
		MPI_Status unread[2];
		TRY(MPI_Testall(2, t->requests, &got, unread));
		if (!got)
			continue;
		if (!t->quick)
			events[n++] = (struct loopc_mpi_event){.value = t->tag};
		t->next = m->free;
		m->free = t;
		m->active[k--] = m->active[--m->actives];
	}
	return n;
}

static int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int loopc_mpi_poll(struct loopc_mpi *m, struct loopc_mpi_event *events, int count, int nanoseconds)
{
	int64_t end = 0;
	int k, n;
	for (k = 1;; k++) {
		pthread_mutex_lock(&turn);
		n = look(m, events, count);
		pthread_mutex_unlock(&turn);
		if (n != 0 || nanoseconds <= 0)
			return n;
		if (k % LOOKS == 0 && clock_ns() > (end ? end : (end = clock_ns() + nanoseconds)))
			return 0;
	}
}
