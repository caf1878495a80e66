//go:build ofi && linux && cgo

#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

// The version of the interface that is used here: mr_mode bits mean what they do
// since 1.5, FI_MR_HMEM and others that came later are not asked for.
#define LOOPC_API FI_VERSION(1, 9)

// What may be asked of registered memory. We pass descriptors (LOCAL), exchange
// addresses (VIRT_ADDR), register only memory that is there (ALLOCATED), take the
// key we are given (PROV_KEY), bind regions to the endpoint (ENDPOINT), and never
// change what is mapped where (MMU_NOTIFY). Providers that want more are not for us.
#define LOOPC_MR_MODE (FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT | FI_MR_MMU_NOTIFY)

#define LOOPC_WRITES 1024 // writes under way
#define LOOPC_DRAIN INT64_C(20000000) // nanoseconds without a completion
#define LOOPC_READS 4 // of the completion queue, between two looks at the clock

// What libfabric exports and we use.
static struct {
	void *library;
	int (*getinfo)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *, struct fi_info **);
	void (*freeinfo)(struct fi_info *);
	struct fi_info *(*dupinfo)(const struct fi_info *);
	int (*fabric)(struct fi_fabric_attr *, struct fid_fabric **, void *);
	const char *(*strerror)(int);
} lib;
static pthread_mutex_t lib_lock = PTHREAD_MUTEX_INITIALIZER;

// A ticket is the context of a write, which a provider may use as it likes until
// the write is done.
struct ticket {
	struct fi_context2 context; // first: completions point to it
	struct ticket *next;
	uint32_t tag;
};

struct loopc_fabric {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	int wake_fd; // an eventfd
	uint64_t next_key;
	pthread_spinlock_t lock; // of the free tickets
	struct ticket *free;
	struct ticket tickets[LOOPC_WRITES];
};

static int fail(struct loopc_why *why, const char *what, int status)
{
	const char *text = lib.strerror ? lib.strerror(-status) : strerror(-status);
	snprintf(why->text, sizeof why->text, "%s: %s", what, text);
	return status;
}

static int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int load(struct loopc_why *why)
{
	const char *name = "libfabric.so.1";
	int status = 0;
	pthread_mutex_lock(&lib_lock);
	if (!lib.library) {
		// A library that libfabric may load would handle SIGSEGV, which is Go's.
		setenv("IPATH_NO_BACKTRACE", "1", 0);
		setenv("HFI_NO_BACKTRACE", "1", 0);
		void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			snprintf(why->text, sizeof why->text, "libfabric is not installed here: %s", dlerror());
			status = -FI_ENOSYS;
		} else {
			*(void **)&lib.getinfo = dlsym(library, "fi_getinfo");
			*(void **)&lib.freeinfo = dlsym(library, "fi_freeinfo");
			*(void **)&lib.dupinfo = dlsym(library, "fi_dupinfo");
			*(void **)&lib.fabric = dlsym(library, "fi_fabric");
			*(void **)&lib.strerror = dlsym(library, "fi_strerror");
			if (lib.getinfo && lib.freeinfo && lib.dupinfo && lib.fabric && lib.strerror) {
				lib.library = library;
			} else {
				snprintf(why->text, sizeof why->text, "%s does not export what libfabric 1.9 does", name);
				status = -FI_ENOSYS;
			}
		}
	}
	pthread_mutex_unlock(&lib_lock);
	return status;
}

// internet says whether addresses of info are those of IP.
static int internet(const struct fi_info *info)
{
	return info->addr_format == FI_SOCKADDR || info->addr_format == FI_SOCKADDR_IN || info->addr_format == FI_SOCKADDR_IN6;
}

// find asks for a provider by what it can do.
static int find(const char *provider, const char *node, struct fi_info **found, struct loopc_why *why)
{
	struct fi_info *hints = lib.dupinfo(NULL), *all = NULL;
	int status;
	if (!hints)
		return fail(why, "fi_dupinfo", -FI_ENOMEM);
	// Ranks may be on other hosts, unless the user names a provider that cannot
	// get there.
	hints->caps = FI_RMA | FI_WRITE | FI_REMOTE_WRITE | (*provider ? 0 : FI_REMOTE_COMM);
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->threading = FI_THREAD_SAFE;
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	hints->domain_attr->mr_mode = LOOPC_MR_MODE;
	hints->domain_attr->cq_data_size = 4;
	if (*provider)
		hints->fabric_attr->prov_name = strdup(provider);
	status = lib.getinfo(LOOPC_API, NULL, NULL, 0, hints, &all);
	if (status == 0 && *node && internet(all)) {
		// The same provider, on the interface that the user named.
		struct fi_info *there = NULL;
		free(hints->fabric_attr->prov_name);
		hints->fabric_attr->prov_name = strdup(all->fabric_attr->prov_name);
		status = lib.getinfo(LOOPC_API, node, NULL, FI_SOURCE, hints, &there);
		if (status && (strncmp(node, "127.", 4) == 0 || strcmp(node, "::1") == 0)) {
			// Ranks of one host are told to meet on the loopback interface, and network
			// cards have no part in that: the card it is, then.
			status = 0;
		} else {
			lib.freeinfo(all);
			all = there;
		}
	}
	if (status) {
		char what[200];
		snprintf(what, sizeof what, "no provider of libfabric%s%s%s%s writes into remote memory and reports it there (fi_getinfo)",
			 *provider ? " called " : "", provider, *node ? " at " : "", node);
		fail(why, what, status);
	} else {
		*found = lib.dupinfo(all);
		lib.freeinfo(all);
		if (!*found)
			status = fail(why, "fi_dupinfo", -FI_ENOMEM);
	}
	lib.freeinfo(hints);
	return status;
}

// open_cq opens a completion queue that has to be polled. One that can be blocked on
// makes each poll dearer, tcp;ofi_rxm's several times, also of those who never block.
static int open_cq(struct loopc_fabric *f)
{
	struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_NONE};
	attr.size = f->info->tx_attr->size + f->info->rx_attr->size;
	return fi_cq_open(f->domain, &attr, &f->cq, NULL);
}

static int start(struct loopc_fabric *f, struct loopc_why *why)
{
	struct fi_av_attr av = {.type = FI_AV_UNSPEC};
	int status;
	if ((status = lib.fabric(f->info->fabric_attr, &f->fabric, NULL)))
		return fail(why, "fi_fabric", status);
	if ((status = fi_domain(f->fabric, f->info, &f->domain, NULL)))
		return fail(why, "fi_domain", status);
	if ((status = fi_av_open(f->domain, &av, &f->av, NULL)))
		return fail(why, "fi_av_open", status);
	if ((status = open_cq(f)))
		return fail(why, "fi_cq_open (over verbs, try FI_UNIVERSE_SIZE=8 FI_OFI_RXM_MSG_TX_SIZE=64 FI_OFI_RXM_MSG_RX_SIZE=64)", status);
	if ((status = fi_endpoint(f->domain, f->info, &f->ep, NULL)))
		return fail(why, "fi_endpoint", status);
	if ((status = fi_ep_bind(f->ep, &f->av->fid, 0)))
		return fail(why, "fi_ep_bind to the address vector", status);
	if ((status = fi_ep_bind(f->ep, &f->cq->fid, FI_TRANSMIT | FI_RECV)))
		return fail(why, "fi_ep_bind to the completion queue", status);
	if ((status = fi_enable(f->ep)))
		return fail(why, "fi_enable", status);
	return 0;
}

int loopc_open(const char *provider, const char *node, uint64_t seed, struct loopc_fabric **opened, struct loopc_why *why)
{
	struct loopc_fabric *f;
	int status = load(why), k;
	if (status)
		return status;
	f = calloc(1, sizeof *f);
	if (!f)
		return fail(why, "memory for an endpoint", -FI_ENOMEM);
	pthread_spin_init(&f->lock, PTHREAD_PROCESS_PRIVATE);
	for (k = 0; k < LOOPC_WRITES; k++) {
		f->tickets[k].next = f->free;
		f->free = &f->tickets[k];
	}
	f->next_key = seed;
	f->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	status = f->wake_fd < 0 ? fail(why, "eventfd", -errno) : find(provider, node, &f->info, why);
	if (status == 0)
		status = start(f, why);
	if (status) {
		loopc_close(f);
		return status;
	}
	*opened = f;
	return 0;
}

// drain takes completions that nobody wants any more. To close an endpoint of ofi_rxm
// over verbs would post the receive buffers of those that are left once again, to a
// connection that is closed, and crash (libfabric's issue 11828, up to 2.4 at least).
static void drain(struct loopc_fabric *f)
{
	struct fi_cq_data_entry entries[64];
	struct fi_cq_err_entry err;
	int64_t end = clock_ns() + LOOPC_DRAIN;
	ssize_t n;
	while (clock_ns() < end) {
		n = fi_cq_read(f->cq, entries, 64);
		if (n == -FI_EAVAIL) {
			memset(&err, 0, sizeof err);
			n = fi_cq_readerr(f->cq, &err, 0);
		}
		if (n > 0)
			end = clock_ns() + LOOPC_DRAIN;
	}
}

void loopc_close(struct loopc_fabric *f)
{
	if (f->ep && f->cq && strstr(f->info->fabric_attr->prov_name, "verbs"))
		drain(f);
	if (f->ep)
		fi_close(&f->ep->fid);
	if (f->cq)
		fi_close(&f->cq->fid);
	if (f->av)
		fi_close(&f->av->fid);
	if (f->domain)
		fi_close(&f->domain->fid);
	if (f->fabric)
		fi_close(&f->fabric->fid);
	if (f->info)
		lib.freeinfo(f->info);
	if (f->wake_fd >= 0)
		close(f->wake_fd);
	pthread_spin_destroy(&f->lock);
	free(f);
}

const char *loopc_provider(struct loopc_fabric *f) { return f->info->fabric_attr->prov_name; }
uint64_t loopc_max_message(struct loopc_fabric *f) { return f->info->ep_attr->max_msg_size; }
uint64_t loopc_mr_mode(struct loopc_fabric *f) { return (uint64_t)(uint32_t)f->info->domain_attr->mr_mode; }
const char *loopc_error(struct loopc_fabric *f, int status) { (void)f; return lib.strerror(status < 0 ? -status : status); }

int loopc_name(struct loopc_fabric *f, void *name, size_t *bytes, struct loopc_why *why)
{
	int status = fi_getname(&f->ep->fid, name, bytes);
	return status ? fail(why, "fi_getname", status) : 0;
}

int loopc_connect(struct loopc_fabric *f, const void *name, size_t bytes, uint64_t *to, struct loopc_why *why)
{
	fi_addr_t at = FI_ADDR_UNSPEC;
	int n;
	if (internet(f->info) && bytes != f->info->src_addrlen)
		return fail(why, "the length of the peer's address", -FI_EINVAL);
	n = fi_av_insert(f->av, name, 1, &at, 0, NULL);
	if (n != 1)
		return fail(why, "fi_av_insert", n < 0 ? n : -FI_EINVAL);
	*to = at;
	return 0;
}

// new_key returns a key that is hard to guess and has as many bytes as the
// provider takes.
static uint64_t new_key(struct loopc_fabric *f)
{
	size_t bytes = f->info->domain_attr->mr_key_size;
	uint64_t x = f->next_key += 0x9e3779b97f4a7c15; // splitmix64: no key comes twice
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	x ^= x >> 31;
	return bytes >= 8 ? x : x & ((UINT64_C(1) << 8 * bytes) - 1);
}

int loopc_register(struct loopc_fabric *f, size_t bytes, struct loopc_region *r, struct loopc_why *why)
{
	uint64_t mode = (uint32_t)f->info->domain_attr->mr_mode;
	struct fid_mr *mr = NULL;
	int status, tries;
	memset(r, 0, sizeof *r);
	// MAP_POPULATE: FI_MR_ALLOCATED wants pages, and the first face should not pay for them.
	r->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (r->memory == MAP_FAILED)
		return fail(why, "mmap", -errno);
	r->bytes = bytes;
	for (tries = 0; tries < 16; tries++) {
		status = fi_mr_reg(f->domain, r->memory, bytes, FI_WRITE | FI_REMOTE_WRITE, 0, new_key(f), 0, &mr, NULL);
		if (status != -FI_ENOKEY)
			break;
	}
	if (status == 0 && mode & FI_MR_ENDPOINT) {
		status = fi_mr_bind(mr, &f->ep->fid, 0);
		if (status == 0)
			status = fi_mr_enable(mr);
	}
	if (status) {
		struct rlimit limit = {0};
		char what[160];
		snprintf(what, sizeof what, "registering %zu bytes (fi_mr_reg)", bytes);
		getrlimit(RLIMIT_MEMLOCK, &limit);
		if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < RLIM_INFINITY)
			snprintf(what, sizeof what, "registering %zu bytes (fi_mr_reg; RLIMIT_MEMLOCK lets this process pin %llu bytes in all: ulimit -l raises it)",
				 bytes, (unsigned long long)limit.rlim_cur);
		if (mr)
			fi_close(&mr->fid);
		munmap(r->memory, bytes);
		return fail(why, what, status);
	}
	r->mr = mr;
	r->key = fi_mr_key(mr);
	r->desc = mode & FI_MR_LOCAL ? (uintptr_t)fi_mr_desc(mr) : 0;
	r->base = mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)r->memory : 0;
	return 0;
}

void loopc_unregister(struct loopc_region *r, int unmap)
{
	fi_close(&((struct fid_mr *)r->mr)->fid);
	if (unmap)
		munmap(r->memory, r->bytes);
}

int loopc_write(struct loopc_fabric *f, uint64_t to, const void *memory, size_t bytes, uintptr_t desc,
		uint64_t address, uint64_t key, uint32_t immediate, uint32_t tag, int quick)
{
	struct ticket *t;
	ssize_t status;
	if (quick && bytes <= f->info->tx_attr->inject_size)
		return fi_inject_writedata(f->ep, memory, bytes, immediate, to, address, key);
	pthread_spin_lock(&f->lock);
	t = f->free;
	if (t)
		f->free = t->next;
	pthread_spin_unlock(&f->lock);
	if (!t)
		return -FI_EAGAIN;
	t->tag = tag;
	status = fi_writedata(f->ep, memory, bytes, (void *)desc, immediate, to, address, key, &t->context);
	if (status) {
		pthread_spin_lock(&f->lock);
		t->next = f->free;
		f->free = t;
		pthread_spin_unlock(&f->lock);
	}
	return (int)status;
}

// done gives back the ticket of a write that has completed, and returns its tag.
static uint32_t done(struct loopc_fabric *f, void *context)
{
	struct ticket *t = context;
	uint32_t tag = t->tag;
	pthread_spin_lock(&f->lock);
	t->next = f->free;
	f->free = t;
	pthread_spin_unlock(&f->lock);
	return tag;
}

// ours says whether context is that of a write with a ticket.
static int ours(struct loopc_fabric *f, void *context)
{
	struct ticket *t = context;
	return t >= f->tickets && t < f->tickets + LOOPC_WRITES;
}

// failed gets the error that stands at the head of the queue.
static int failed(struct loopc_fabric *f, struct loopc_event *e)
{
	struct fi_cq_err_entry err = {0};
	ssize_t n = fi_cq_readerr(f->cq, &err, 0);
	if (n == -FI_EAGAIN)
		return 0;
	if (n < 0)
		return (int)n;
	e->remote = 0;
	e->value = ours(f, err.op_context) ? done(f, err.op_context) : LOOPC_NO_TAG; // of a quick write
	e->status = err.err ? -err.err : -FI_EOTHER;
	return 1;
}

int loopc_poll(struct loopc_fabric *f, struct loopc_event *events, int count, int nanoseconds)
{
	struct fi_cq_data_entry entries[64];
	int64_t end = 0;
	ssize_t n;
	int k, kept = 0;
	if (count > 64)
		count = 64;
	for (k = 1; (n = fi_cq_read(f->cq, entries, count)) == -FI_EAGAIN && nanoseconds > 0; k++)
		if (k % LOOPC_READS == 0 && clock_ns() > (end ? end : (end = clock_ns() + nanoseconds)))
			break;
	if (n == -FI_EAGAIN)
		return 0;
	if (n == -FI_EAVAIL)
		return failed(f, events);
	if (n < 0)
		return (int)n;
	for (k = 0; k < n; k++) {
		struct fi_cq_data_entry *c = &entries[k];
		struct loopc_event *e = &events[kept];
		if (c->flags & FI_REMOTE_CQ_DATA) {
			e->remote = 1;
			e->value = c->data;
		} else if (ours(f, c->op_context)) {
			e->remote = 0;
			e->value = done(f, c->op_context);
		} else {
			continue;
		}
		e->status = 0;
		kept++;
	}
	return kept;
}

void loopc_wait(struct loopc_fabric *f, int microseconds)
{
	struct pollfd fd = {.fd = f->wake_fd, .events = POLLIN};
	struct timespec limit = {.tv_sec = microseconds / 1000000, .tv_nsec = 1000L * (microseconds % 1000000)};
	uint64_t tokens;
	if (ppoll(&fd, 1, &limit, NULL) > 0)
		(void)!read(f->wake_fd, &tokens, sizeof tokens);
}

void loopc_wake(struct loopc_fabric *f)
{
	uint64_t token = 1;
	(void)!write(f->wake_fd, &token, sizeof token);
}
