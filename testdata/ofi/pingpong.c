// A ping-pong over libfabric in plain C, to hold runtime/transport/ofi against: two
// processes, RMA writes with an immediate, both spinning on their completion queues.
//
//	gcc -O2 pingpong.c -lfabric -lm && ./a.out 'tcp;ofi_rxm' 2000 200 11
//
// prints, for the provider, half a round trip of 8 bytes in microseconds, of so
// many round trips, and the bandwidth one way of 64 KiB and 1 MiB in MB/s, of so
// many messages of which 4 are not acknowledged at most; the best of so many times. As where faces are packed
// and unpacked, each message is copied into the buffer that is written from, and
// out of the one that is written to.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

enum { WINDOW = 4, MOST = 1 << 20, CREDIT = 1 << 16 };

static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_av *av;
static struct fid_cq *cq;
static struct fid_ep *ep;
static struct fid_mr *mr;
static struct fi_info *info;
static char *memory; // WINDOW slots to write from, WINDOW to be written into, a bell
static uint64_t base, key;
static fi_addr_t peer;
static int arrived, credits, sent, done;

static void check(const char *what, long status)
{
	if (status == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-status));
	exit(1);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static void start(const char *provider, int other)
{
	struct fi_info *hints = fi_allocinfo();
	struct fi_cq_attr cq_attr = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_NONE};
	struct fi_av_attr av_attr = {.type = FI_AV_UNSPEC};
	struct { uint64_t base, key; size_t n; char name[200]; } ours = {.n = sizeof ours.name}, theirs;
	size_t bytes = (2 * WINDOW) * (size_t)MOST + 4096;
	hints->caps = FI_RMA | FI_WRITE | FI_REMOTE_WRITE;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->threading = FI_THREAD_SAFE;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	hints->domain_attr->cq_data_size = 4;
	hints->fabric_attr->prov_name = strdup(provider);
	if (strcmp(provider, "shm") == 0)
		check("fi_getinfo", fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &info));
	else
		check("fi_getinfo", fi_getinfo(FI_VERSION(1, 9), "127.0.0.1", NULL, FI_SOURCE, hints, &info));
	check("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
	check("fi_domain", fi_domain(fabric, info, &domain, NULL));
	check("fi_av_open", fi_av_open(domain, &av_attr, &av, NULL));
	cq_attr.size = info->tx_attr->size + info->rx_attr->size;
	check("fi_cq_open", fi_cq_open(domain, &cq_attr, &cq, NULL));
	check("fi_endpoint", fi_endpoint(domain, info, &ep, NULL));
	check("fi_ep_bind", fi_ep_bind(ep, &av->fid, 0));
	check("fi_ep_bind", fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV));
	check("fi_enable", fi_enable(ep));
	memory = aligned_alloc(4096, bytes);
	memset(memory, 0, bytes);
	check("fi_mr_reg", fi_mr_reg(domain, memory, bytes, FI_WRITE | FI_REMOTE_WRITE, 0, (uint64_t)getpid(), 0, &mr, NULL));
	check("fi_getname", fi_getname(&ep->fid, ours.name, &ours.n));
	ours.key = fi_mr_key(mr);
	ours.base = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)memory : 0;
	if (write(other, &ours, sizeof ours) != sizeof ours || recv(other, &theirs, sizeof theirs, MSG_WAITALL) != sizeof theirs)
		exit(1);
	base = theirs.base;
	key = theirs.key;
	if (fi_av_insert(av, theirs.name, 1, &peer, 0, NULL) != 1)
		exit(1);
}

static void poll_once(void)
{
	struct fi_cq_data_entry e[16];
	long k, n = fi_cq_read(cq, e, 16);
	if (n == -FI_EAGAIN)
		return;
	if (n < 0)
		check("fi_cq_read", n);
	for (k = 0; k < n; k++) {
		if (!(e[k].flags & FI_REMOTE_CQ_DATA))
			done++;
		else if (e[k].data & CREDIT)
			credits++;
		else
			arrived++;
	}
}

static void post(size_t from, size_t to, size_t bytes, uint64_t data)
{
	static struct fi_context2 contexts[4096];
	long status;
	do {
		if (data & CREDIT)
			status = fi_inject_writedata(ep, memory + from, bytes, data, peer, base + to, key);
		else
			status = fi_writedata(ep, memory + from, bytes, fi_mr_desc(mr), data, peer, base + to, key, &contexts[sent % 4096]);
		if (status == -FI_EAGAIN)
			poll_once();
	} while (status == -FI_EAGAIN);
	check("fi_writedata", status);
	sent++;
}

static size_t outgoing(int k) { return (size_t)(k % WINDOW) * MOST; }
static size_t incoming(int k) { return (size_t)(WINDOW + k % WINDOW) * MOST; }
static const size_t bell = 2 * WINDOW * (size_t)MOST;

// Ping-pong: one of the two begins.
static double round_trips(int first, int trips)
{
	int k, goal = arrived;
	double begun = now();
	for (k = 0; k < trips; k++) {
		if (first)
			post(outgoing(k), incoming(k), 8, 0);
		goal++;
		while (arrived < goal)
			poll_once();
		if (!first)
			post(outgoing(k), incoming(k), 8, 0);
	}
	return now() - begun;
}

// One way: the receiver gives a credit for each message.
static double stream(int first, int messages, size_t bytes, char *copy)
{
	int k, goal = first ? credits : arrived;
	double begun = now();
	for (k = 0; k < messages; k++) {
		if (first) {
			while (credits < goal + k + 1 - WINDOW)
				poll_once();
			memcpy(memory + outgoing(k), copy, bytes);
			post(outgoing(k), incoming(k), bytes, 0);
		} else {
			while (arrived < goal + k + 1)
				poll_once();
			memcpy(copy, memory + incoming(k), bytes);
			post(bell + 64, bell, 8, CREDIT);
		}
	}
	if (first)
		while (credits < goal + messages)
			poll_once();
	return now() - begun;
}

int main(int argc, char **argv)
{
	int ends[2], first, trips, messages, times, k;
	double least;
	size_t bytes;
	char *copy = calloc(1, MOST);
	if (argc != 5 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
		fprintf(stderr, "usage: pingpong provider round-trips messages times\n");
		return 2;
	}
	trips = atoi(argv[2]);
	messages = atoi(argv[3]);
	first = fork() != 0;
	start(argv[1], ends[first]);
	times = atoi(argv[4]);
	for (least = 1e9, k = 0; k < times; k++)
		least = fmin(least, round_trips(first, trips));
	if (first)
		printf("half-round-trip-8B %.3f us\n", least / trips / 2 * 1e6);
	for (bytes = 64 << 10; bytes <= MOST; bytes <<= 4) {
		for (least = 1e9, k = 0; k < times; k++)
			least = fmin(least, stream(first, messages, bytes, copy));
		if (first)
			printf("bandwidth-%zuKiB %.0f MB/s\n", bytes >> 10, bytes * (double)messages / least * 1e-6);
	}
	fflush(stdout);
	// Nobody leaves before the other has what was sent.
	round_trips(first, 1);
	usleep(20000);
	if (first)
		wait(NULL);
	fi_close(&mr->fid);
	fi_close(&ep->fid);
	fi_close(&cq->fid);
	fi_close(&av->fid);
	fi_close(&domain->fid);
	fi_close(&fabric->fid);
	return 0;
}
