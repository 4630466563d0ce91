// SPDX-License-Identifier: Apache-2.0
/*
 * A stand-in for libibverbs under the published Clio client library: its raw packet queue pairs on AF_PACKET sockets, so that the library,
 * unmodified, reaches a TAP device where no RDMA network card is. It has the calls that library makes and no others.
 *
 * Device: one, named as the network device that the library was given. Queue pair: a packet socket; nothing comes in before a flow is
 * created, from then on IPv4/UDP frames to the flow's destination port. Receives: into the posted buffers, in order; a frame that finds none
 * waits in the socket. Sends: at once; a completion where one was asked for.
 *
 * Link with --wrap=ibdev2netdev, --wrap=mmap and --wrap=sched_setaffinity (see below why).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Receives that may be posted to a queue pair, at least; the library asks for 256. */
#define LEAST_RECEIVES 256
/* How long an empty poll waits for a frame: the library polls without end, and the simulated node needs the processor. Milliseconds. */
#define IDLE_WAIT_MS 1
/* Bytes of a frame of the library, with room: its largest are 9 KB. */
#define LONGEST_FRAME 16384

/* The library's name for the network device in use. */
extern char global_net_dev[32];

struct packet_qp;

struct packet_cq {
	struct ibv_cq cq;
	struct packet_qp *receives_of;	/* whose receives complete here; NULL for sends */
	unsigned int sent;		/* completions of sends that wait for a poll */
	pthread_mutex_t lock;
};

struct posted { uint64_t id; void *at; uint32_t length; };

struct packet_qp {
	struct ibv_qp qp;
	int socket;
	struct posted *ring;
	unsigned int size, first, count;
};

static struct ibv_device device;
static struct ibv_device *devices[2] = { &device, NULL };
static struct verbs_context verbs;
static struct ibv_pd domain;
static uint32_t last_qp_number, last_key;

static int device_index(void)
{
	return (int)if_nametoindex(global_net_dev);
}

static int bind_to_device(int socket, uint16_t protocol)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(protocol), .sll_ifindex = device_index() };

	return bind(socket, (struct sockaddr *)&at, sizeof(at));
}

/* The network device is the verbs device; the library looks for the pair in /sys. */
int __wrap_ibdev2netdev(const char *verbs_device, char *net_device, size_t size)
{
	snprintf(net_device, size, "%s", verbs_device);
	return 0;
}

/* Huge pages are for the card's sake: without a pool of them ordinary ones do. */
void *__real_mmap(void *at, size_t length, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t length, int protection, int flags, int file, off_t offset)
{
	return __real_mmap(at, length, protection, flags & ~MAP_HUGETLB, file, offset);
}

/* Threads are pinned to processors 0 and 1 for the card's sake; here the simulator shares them, and there may be only one. */
int __wrap_sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set)
{
	(void)thread, (void)size, (void)set;
	return 0;
}

#undef ibv_get_device_list
struct ibv_device **ibv_get_device_list(int *count)
{
	if (device_index() == 0) {
		errno = ENODEV;
		return NULL;
	}
	snprintf(device.name, sizeof(device.name), "%s", global_net_dev);
	if (count)
		*count = 1;
	return devices;
}

void ibv_static_providers(void *unused, ...) { (void)unused; }

const char *ibv_get_device_name(struct ibv_device *d) { return d->name; }

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	domain.context = context;
	return &domain;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *at, size_t length)
{
	struct ibv_mr *mr = calloc(1, sizeof(*mr));

	if (mr)
		*mr = (struct ibv_mr){ .context = pd->context, .pd = pd, .addr = at, .length = length, .lkey = ++last_key };
	return mr;
}

#undef ibv_reg_mr
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *at, size_t length, int access)
{
	(void)access;
	return reg_mr(pd, at, length);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *at, size_t length, uint64_t iova, unsigned int access)
{
	(void)iova, (void)access;
	return reg_mr(pd, at, length);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	free(mr);
	return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int entries, void *user, struct ibv_comp_channel *channel, int vector)
{
	struct packet_cq *c = calloc(1, sizeof(*c));

	(void)vector;
	if (!c)
		return NULL;
	c->cq = (struct ibv_cq){ .context = context, .channel = channel, .cq_context = user, .cqe = entries };
	pthread_mutex_init(&c->lock, NULL);
	return &c->cq;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *o)
{
	struct packet_qp *q;
	uint32_t wanted = o->cap.max_recv_wr;

	if (o->qp_type != IBV_QPT_RAW_PACKET) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->size = wanted > LEAST_RECEIVES ? wanted : LEAST_RECEIVES;
	q->ring = calloc(q->size, sizeof(*q->ring));
	/* Protocol 0: sends, and receives nothing yet. */
	q->socket = socket(AF_PACKET, SOCK_RAW, 0);
	if (!q->ring || q->socket < 0 || bind_to_device(q->socket, 0) != 0) {
		perror("verbs on packets: no packet socket on the device");
		return NULL;
	}
	q->qp = (struct ibv_qp){ .context = pd->context, .pd = pd, .send_cq = o->send_cq, .recv_cq = o->recv_cq,
				 .qp_num = ++last_qp_number, .qp_type = o->qp_type };
	((struct packet_cq *)o->recv_cq)->receives_of = q;
	return &q->qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *o, int mask)
{
	if (mask & IBV_QP_STATE)
		qp->state = o->qp_state;
	return 0;
}

/* The flow's UDP destination port; 0 when it names none. The specifications follow the header without gaps. */
static uint16_t flow_port(const struct ibv_flow_attr *attr)
{
	const uint8_t *at = (const uint8_t *)(attr + 1);

	for (int i = 0; i < attr->num_of_specs; i++) {
		struct ibv_flow_spec_tcp_udp spec;

		memcpy(&spec, at, sizeof(spec));
		if (spec.type == IBV_FLOW_SPEC_UDP)
			return ntohs(spec.val.dst_port);
		at += spec.size;
	}
	return 0;
}

static struct ibv_flow *create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	struct packet_qp *q = (struct packet_qp *)qp;
	/* IPv4 without options, UDP, this port. */
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 7),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 14), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x45, 0, 5),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 23), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 3),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 36), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, flow_port(attr), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog filter = { .len = sizeof(steps) / sizeof(steps[0]), .filter = steps };
	struct ibv_flow *flow = calloc(1, sizeof(*flow));

	if (!flow || setsockopt(q->socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) != 0 ||
	    bind_to_device(q->socket, ETH_P_IP) != 0) {
		free(flow);
		return NULL;
	}
	flow->context = qp->context;
	return flow;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct packet_qp *q = (struct packet_qp *)qp;
	struct packet_cq *c = (struct packet_cq *)qp->recv_cq;
	int result = 0;

	pthread_mutex_lock(&c->lock);
	for (; wr; wr = wr->next) {
		if (q->count == q->size || wr->num_sge != 1) {
			*bad = wr;
			result = ENOMEM;
			break;
		}
		q->ring[(q->first + q->count++) % q->size] =
			(struct posted){ wr->wr_id, (void *)(uintptr_t)wr->sg_list[0].addr, wr->sg_list[0].length };
	}
	pthread_mutex_unlock(&c->lock);
	return result;
}

/*
 * The newest commit never reads the neighbour's MAC, and sends to what its memory held. The board takes any MAC, a kernel
 * does not: where one is at the far end, PEER_MAC names its MAC, and all frames go there. Only the copy on its way out is
 * changed. The first part has the frame's header.
 */
static struct iovec addressed(struct iovec first, unsigned char copy[])
{
	const char *peer = getenv("PEER_MAC");

	if (!peer || first.iov_len < ETH_ALEN || first.iov_len > LONGEST_FRAME)
		return first;
	memcpy(copy, first.iov_base, first.iov_len);
	if (sscanf(peer, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &copy[0], &copy[1], &copy[2], &copy[3], &copy[4], &copy[5]) != ETH_ALEN)
		return first;
	return (struct iovec){ copy, first.iov_len };
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct packet_qp *q = (struct packet_qp *)qp;
	struct packet_cq *c = (struct packet_cq *)qp->send_cq;

	for (; wr; wr = wr->next) {
		struct iovec parts[2];
		unsigned char copy[LONGEST_FRAME];
		struct msghdr message = { .msg_iov = parts, .msg_iovlen = (size_t)wr->num_sge };

		for (int i = 0; i < wr->num_sge && i < 2; i++)
			parts[i] = (struct iovec){ (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length };
		if (wr->num_sge > 0)
			parts[0] = addressed(parts[0], copy);
		if (wr->num_sge > 2 || sendmsg(q->socket, &message, 0) < 0) {
			perror("verbs on packets: a frame could not be sent");
			*bad = wr;
			return errno;
		}
		if (wr->send_flags & IBV_SEND_SIGNALED) {
			pthread_mutex_lock(&c->lock);
			c->sent++;
			pthread_mutex_unlock(&c->lock);
		}
	}
	return 0;
}

/* One frame into the next posted buffer; its length, or 0 when there is none. */
static ssize_t receive(struct packet_qp *q, struct posted *into)
{
	for (;;) {
		struct sockaddr_ll from;
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(q->socket, into->at, into->length, MSG_DONTWAIT, (struct sockaddr *)&from, &size);

		if (n <= 0)
			return 0;
		/* What this machine itself sends is seen as well. */
		if (from.sll_pkttype != PACKET_OUTGOING)
			return n;
	}
}

static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	struct packet_cq *c = (struct packet_cq *)cq;
	struct packet_qp *q = c->receives_of;
	int done = 0;

	pthread_mutex_lock(&c->lock);
	for (; !q && done < most && c->sent > 0; c->sent--)
		wc[done++] = (struct ibv_wc){ .status = IBV_WC_SUCCESS, .opcode = IBV_WC_SEND };
	while (q && done < most && q->count > 0) {
		struct posted *into = &q->ring[q->first];
		ssize_t n = receive(q, into);

		if (n == 0)
			break;
		wc[done++] = (struct ibv_wc){ .wr_id = into->id, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV,
					      .byte_len = (uint32_t)n, .qp_num = q->qp.qp_num };
		q->first = (q->first + 1) % q->size;
		q->count--;
	}
	pthread_mutex_unlock(&c->lock);
	if (done == 0) {
		struct pollfd frame = { .fd = q ? q->socket : -1, .events = POLLIN };

		poll(&frame, 1, IDLE_WAIT_MS);
	}
	return done;
}

struct ibv_context *ibv_open_device(struct ibv_device *d)
{
	verbs.sz = sizeof(verbs);
	verbs.ibv_create_flow = create_flow;
	verbs.context.device = d;
	verbs.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	verbs.context.ops.poll_cq = poll_cq;
	verbs.context.ops.post_send = post_send;
	verbs.context.ops.post_recv = post_recv;
	return &verbs.context;
}
