// The little of libfabric that package ofi uses, as functions that Go can call:
// libfabric's own are inline functions in its headers, and the library itself is
// opened at run time, so that a program starts where there is none.
//
// A function returns 0, or -errno of libfabric (fi_errno(3)); those that take a
// struct loopc_why say in it what they were doing.

#include <stddef.h>
#include <stdint.h>

#define LOOPC_EAGAIN (-11) // -FI_EAGAIN: try again after a poll
#define LOOPC_NO_TAG UINT64_MAX // as rma.NoTag

// What went wrong, for people.
struct loopc_why {
	char text[256];
};

// An endpoint and what belongs to it.
struct loopc_fabric;

// A region is memory that the network may read from or be told to write into.
struct loopc_region {
	void *memory;   // page-aligned, zero
	size_t bytes;
	uint64_t key;   // what a peer shows to write into it
	uint64_t base;  // what a peer adds an offset to
	uintptr_t desc;  // what we show to read from it
	void *mr;
};

// An event is a completion: a write of ours is done, or the peer's data are here.
struct loopc_event {
	uint64_t value;  // remote: the immediate; else the tag of our write
	int32_t status;  // 0, or -errno: our write with this tag has failed
	uint32_t remote;
};

// Opens the provider with this name, or the first that can do what we need if
// the name is empty, on the interface with the address node, unless that is
// empty. Keys are made of seed where we may choose them.
int loopc_open(const char *provider, const char *node, uint64_t seed,
	       struct loopc_fabric **opened, struct loopc_why *why);
void loopc_close(struct loopc_fabric *);

const char *loopc_provider(struct loopc_fabric *);
uint64_t loopc_max_message(struct loopc_fabric *);
uint64_t loopc_mr_mode(struct loopc_fabric *);

// The address under which peers reach us: *bytes is the room in it, and then
// what it takes.
int loopc_name(struct loopc_fabric *, void *name, size_t *bytes, struct loopc_why *why);
// Where the peer with this address is, which has so many bytes and then a zero.
int loopc_connect(struct loopc_fabric *, const void *name, size_t bytes, uint64_t *to, struct loopc_why *why);

int loopc_register(struct loopc_fabric *, size_t bytes, struct loopc_region *, struct loopc_why *why);
// Ends what loopc_register began. The memory goes too if unmap says so.
void loopc_unregister(struct loopc_region *, int unmap);

// Writes bytes from memory, which is in a region with this desc, to where a peer
// said, and has the immediate reported there. The write is done when an event
// with its tag comes. With quick, a few bytes that may be overwritten at once are
// written, and no event comes.
int loopc_write(struct loopc_fabric *, uint64_t to, const void *memory, size_t bytes, uintptr_t desc,
		uint64_t address, uint64_t key, uint32_t immediate, uint32_t tag, int quick);

// Gets up to count events. As long as there are none it looks again, for about so
// long. It returns their number, or -errno.
int loopc_poll(struct loopc_fabric *, struct loopc_event *, int count, int nanoseconds);
// Sleeps until microseconds are over or loopc_wake is called.
void loopc_wait(struct loopc_fabric *, int microseconds);
void loopc_wake(struct loopc_fabric *);

const char *loopc_error(struct loopc_fabric *, int status);
