// SPDX-License-Identifier: Apache-2.0
/*
 * A first program for the published Clio client library against a served node: opens a context at the monitor, allocates at the node, writes,
 * reads back and compares, frees, closes. The library's own main program starts it (as its test `alloc_free`), after it has joined the cluster.
 * Prints lines that begin with `client:`; exit code 0 when everything was as it should be.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define PAGE (4UL << 20)
#define MEMORY (16UL << 20)
#define LONGEST 20000
/* For the test of these checks: what is read is compared with what another seed would have written. */
#ifndef PLANTED_FAULT
#define PLANTED_FAULT 0
#endif
/* Room before the data of a message for its headers. */
#define HEADERS sizeof(struct legomem_read_write_req)

/*
 * What main_host.c names besides and a build may leave out: other transports, memory dependencies (off in config.h), counters. Weak: the
 * library's own come first.
 */
#define WEAK __attribute__((weak))
WEAK struct transport_net_ops transport_bypass_ops, transport_gbn_ops;
WEAK atomic_long nr_online_hosts, nr_online_boards;
WEAK void mc_wait_and_set_dependency(struct session_net *s, unsigned long a, size_t n, int op) { (void)s, (void)a, (void)n, (void)op; }
WEAK void mc_clear_dependency(struct session_net *s, unsigned long a, size_t n, int op) { (void)s, (void)a, (void)n, (void)op; }

/* The congestion control's decrease at a reply later than 5 us, a variable of the RPC transport. */
extern WEAK double md;

/* Older versions leave this to their main program; later ones do it when the program is loaded. */
extern WEAK int init_context_subsys(void);

static char send_buffer[HEADERS + LONGEST + 64] __attribute__((aligned(4096)));
static char receive_buffer[HEADERS + LONGEST + 4096];
static unsigned int failures;
/* Whether `legomem_read` of this commit leaves the buffer alone, found at the first read (see reads_back). */
static int copies_nothing = -1;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("client: ");
	vprintf(format, arguments);
	printf("\n");
	va_end(arguments);
	fflush(stdout);
}

static void check(bool right, const char *what)
{
	if (right)
		return;
	failures++;
	say("WRONG: %s", what);
}

static unsigned char pattern(unsigned long address, unsigned int seed)
{
	return (unsigned char)((address * 2654435761u + seed * 40503u) >> 13);
}

static void write_at(struct legomem_context *context, unsigned long address, size_t length, unsigned int seed)
{
	char *data = send_buffer + HEADERS;

	for (size_t i = 0; i < length; i++)
		data[i] = (char)pattern(address + i, seed);
	check(legomem_write_sync(context, send_buffer, address, length) == 0, "a write was refused");
}

/*
 * The newest commit's legomem_read takes the replies and copies nothing of them (host/api.c: its copying is within
 * `#if 0`). Then the same requests are sent here through the library's session, one by one, and their data is taken.
 */
static int read_by_session(struct legomem_context *context, unsigned long address, size_t length)
{
	struct session_net *session = find_or_alloc_vregion_session(context, address);
	struct legomem_read_write_req *request = (void *)send_buffer;
	struct legomem_read_write_resp *reply;
	struct lego_header *header = to_lego_header(request);
	size_t done, piece, received;

	for (done = 0; done < length; done += piece) {
		piece = length - done < max_lego_payload ? length - done : max_lego_payload;
		header->pid = context->pid;
		header->opcode = OP_REQ_READ;
		header->req_status = 0;
		request->op.va = address + done;
		request->op.size = piece;
		if (net_send(session, request, sizeof(*request)) < 0 ||
		    net_receive_zerocopy(session, (void **)&reply, &received) <= 0)
			return -1;
		header = to_lego_header(reply);
		if (header->req_status != 0 || header->opcode != OP_REQ_READ_RESP || received < sizeof(*reply) + piece)
			return -1;
		memcpy(receive_buffer + HEADERS + done, reply->ret.data, piece);
		header = to_lego_header(request);
	}
	return 0;
}

static bool untouched(const char *data, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (data[i] != 0x5a)
			return false;
	}
	return true;
}

static bool reads_back(struct legomem_context *context, unsigned long address, size_t length, unsigned int seed)
{
	const char *data = receive_buffer + HEADERS;

	memset(receive_buffer, 0x5a, sizeof(receive_buffer));
	if (copies_nothing != 1 && legomem_read(context, send_buffer, receive_buffer, address, length) != 0)
		return false;
	if (copies_nothing < 0) {
		copies_nothing = untouched(receive_buffer, sizeof(receive_buffer));
		if (copies_nothing)
			say("this commit's legomem_read copies no data: the program takes it from the replies");
	}
	if (copies_nothing == 1 && read_by_session(context, address, length) != 0)
		return false;
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)data[i] != pattern(address + i, seed + PLANTED_FAULT))
			return false;
	}
	return true;
}

/* Whether a read brings no data: the library says so on its output and leaves the buffer alone. */
static bool reads_nothing(struct legomem_context *context, unsigned long address)
{
	memset(receive_buffer, 0x5a, sizeof(receive_buffer));
	if (copies_nothing == 1)
		read_by_session(context, address, 64);
	else
		legomem_read(context, send_buffer, receive_buffer, address, 64);
	for (size_t i = 0; i < 64; i++) {
		if (receive_buffer[HEADERS + i] != 0x5a)
			return false;
	}
	return true;
}

static struct legomem_context *open_context(const char *name)
{
	struct legomem_context *context = legomem_open_context();

	if (!context) {
		say("WRONG: the monitor gave no context");
		exit(1);
	}
	say("context %s: process %u", name, context->pid);
	return context;
}

static unsigned long allocate(struct legomem_context *context)
{
	unsigned long address = legomem_alloc(context, MEMORY, LEGOMEM_VM_FLAGS_WRITE);
	char node[INET_ADDRSTRLEN];

	if (address == 0) {
		say("WRONG: nothing was allocated");
		exit(1);
	}
	net_reg_send_buf(find_or_alloc_vregion_session(context, address), send_buffer, sizeof(send_buffer));
	get_ip_str(va_to_legomem_vregion(context, address)->board_ip, node);
	say("allocated %lu MB at %#lx of node %s", MEMORY >> 20, address, node);
	return address;
}

int test_legomem_alloc_free(char *unused)
{
	/* One byte, a line, a message, messages, and over the edge of a page. */
	static const struct { unsigned long at; size_t length; } pieces[] = {
		{ 0, 1 }, { 3, 8 }, { 64, 64 }, { 1000, 255 }, { 4096, 1000 }, { 8192, 1300 }, { 12288, 1301 }, { 20000, LONGEST },
		{ PAGE - 500, 1000 }, { MEMORY - 4096, 4096 },
	};
	size_t count = sizeof(pieces) / sizeof(pieces[0]), bytes = 0;
	struct legomem_context *a, *b;
	unsigned long at_a, at_b;

	(void)unused;
	/* A simulated node answers in milliseconds: without this the window halves at every reply until nothing is sent any more. */
	if (&md)
		md = 1.0;
	if (init_context_subsys)
		init_context_subsys();

	a = open_context("A");
	at_a = allocate(a);
	for (unsigned int i = 0; i < count; i++) {
		write_at(a, at_a + pieces[i].at, pieces[i].length, i);
		check(reads_back(a, at_a + pieces[i].at, pieces[i].length, i), "what was read is not what was written");
		bytes += pieces[i].length;
	}
	say("A: %zu writes of %zu bytes in all, each read back", count, bytes);
	for (unsigned int i = 0; i < count; i++)
		check(reads_back(a, at_a + pieces[i].at, pieces[i].length, i), "something written was lost");
	say("A: all of it read again after the last write");

	b = open_context("B");
	at_b = allocate(b);
	write_at(b, at_b + 4096, 1000, 77);
	check(reads_back(b, at_b + 4096, 1000, 77), "B reads back what it wrote");
	check(reads_back(a, at_a + 4096, 1000, 4), "A's memory after B wrote to its own");
	say("B: its own memory at %#lx, A's unchanged", at_b);

	check(legomem_free(a, at_a, MEMORY) == 0, "free");
	check(reads_nothing(a, at_a + 64), "a read of freed memory brings no data");
	say("A: freed; a read there is refused");
	check(reads_back(b, at_b + 4096, 1000, 77), "B's memory after A freed its own");
	check(legomem_free(b, at_b, MEMORY) == 0, "free");
	check(legomem_close_context(a) == 0 && legomem_close_context(b) == 0, "contexts close");
	say("contexts closed");
	say(failures == 0 ? "OK" : "FAILED");
	exit(failures == 0 ? 0 : 1);
}
