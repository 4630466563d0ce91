/* Generated from designs/clio/registers. Do not edit. */
#ifndef CLIO_REGISTERS_H
#define CLIO_REGISTERS_H

/* tells that this is a Clio node (read only) */
#define CLIO_REG_IDENTIFICATION 0x000
#define CLIO_IDENTIFICATION_SHIFT 0
#define CLIO_IDENTIFICATION_MASK 0xffffffffu

/* of the register map (read only) */
#define CLIO_REG_VERSION 0x004
#define CLIO_VERSION_SHIFT 0
#define CLIO_VERSION_MASK 0xffffffffu

/* what the build has (read only) */
#define CLIO_REG_FEATURES 0x008
#define CLIO_DATA_WIDTH_LOG2_SHIFT 0
#define CLIO_DATA_WIDTH_LOG2_MASK 0xfu
#define CLIO_PAGE_SHIFT_SHIFT 8
#define CLIO_PAGE_SHIFT_MASK 0x3fu
#define CLIO_REQUEST_SLOTS_LOG2_SHIFT 16
#define CLIO_REQUEST_SLOTS_LOG2_MASK 0xfu
#define CLIO_PHYSICAL_ADDRESS_BITS_SHIFT 24
#define CLIO_PHYSICAL_ADDRESS_BITS_MASK 0x3fu

/* what the build's virtual memory has (read only) */
#define CLIO_REG_TRANSLATION 0x00c
#define CLIO_TLB_ENTRIES_LOG2_SHIFT 0
#define CLIO_TLB_ENTRIES_LOG2_MASK 0xfu
#define CLIO_OUTSTANDING_MISSES_LOG2_SHIFT 8
#define CLIO_OUTSTANDING_MISSES_LOG2_MASK 0xfu
#define CLIO_FREE_PAGE_BUFFER_LOG2_SHIFT 16
#define CLIO_FREE_PAGE_BUFFER_LOG2_MASK 0xfu
#define CLIO_SLOTS_FACTOR_LOG2_SHIFT 24
#define CLIO_SLOTS_FACTOR_LOG2_MASK 0xfu

/* what the build's network has (read only) */
#define CLIO_REG_FRAMES 0x010
#define CLIO_MTU_FRAME_SHIFT 0
#define CLIO_MTU_FRAME_MASK 0xffffu
#define CLIO_CLIENT_PORTS_SHIFT 16
#define CLIO_CLIENT_PORTS_MASK 0xffffu

/* how many counters there are (read only) */
#define CLIO_REG_COUNTERS 0x014
#define CLIO_COUNTER_COUNT_SHIFT 0
#define CLIO_COUNTER_COUNT_MASK 0xffffu

/* offloads of the extend path, the one in slot 0 lowest */
#define CLIO_REG_OFFLOADS 0x018
#define CLIO_OFFLOAD_RESET_SHIFT 0
#define CLIO_OFFLOAD_RESET_MASK 0xfu
#define CLIO_OFFLOAD_HELD_SHIFT 8
#define CLIO_OFFLOAD_HELD_MASK 0xfu
#define CLIO_OFFLOAD_STUCK_SHIFT 16
#define CLIO_OFFLOAD_STUCK_MASK 0xfu
#define CLIO_OFFLOAD_ACTIVE_SHIFT 24
#define CLIO_OFFLOAD_ACTIVE_MASK 0xfu

/* when an offload counts as stuck */
#define CLIO_REG_OFFLOAD_PATIENCE 0x01c
#define CLIO_OFFLOAD_PATIENCE_SHIFT 0
#define CLIO_OFFLOAD_PATIENCE_MASK 0xffffffu

/* own MAC, low part */
#define CLIO_REG_MAC_LOW 0x020
#define CLIO_MAC_LOW_SHIFT 0
#define CLIO_MAC_LOW_MASK 0xffffffffu

/* own MAC, high part */
#define CLIO_REG_MAC_HIGH 0x024
#define CLIO_MAC_HIGH_SHIFT 0
#define CLIO_MAC_HIGH_MASK 0xffffu

/* own IPv4 address */
#define CLIO_REG_IP 0x028
#define CLIO_IP_SHIFT 0
#define CLIO_IP_MASK 0xffffffffu

/* UDP port where flags and request IDs are honoured */
#define CLIO_REG_NATIVE_PORT 0x02c
#define CLIO_NATIVE_PORT_SHIFT 0
#define CLIO_NATIVE_PORT_MASK 0xffffu

/* first UDP port of the published client's sessions */
#define CLIO_REG_CLIENT_PORT 0x030
#define CLIO_CLIENT_PORT_SHIFT 0
#define CLIO_CLIENT_PORT_MASK 0xffffu

/* switches */
#define CLIO_REG_FLAGS 0x034
#define CLIO_ACCEPT_ANY_MAC_SHIFT 0
#define CLIO_ACCEPT_ANY_MAC_MASK 0x1u
#define CLIO_OUT_OF_MEMORY_SHIFT 1
#define CLIO_OUT_OF_MEMORY_MASK 0x1u

/* key of the hashes that place state, low part; written before the first ALLOC and the first tracked request */
#define CLIO_REG_HASH_KEY_LOW 0x050
#define CLIO_HASH_KEY_LOW_SHIFT 0
#define CLIO_HASH_KEY_LOW_MASK 0xffffffffu

/* key of the hashes that place state, high part */
#define CLIO_REG_HASH_KEY_HIGH 0x054
#define CLIO_HASH_KEY_HIGH_SHIFT 0
#define CLIO_HASH_KEY_HIGH_MASK 0xffffffffu

/* the free-page buffer (read only) */
#define CLIO_REG_FREE_PAGES 0x038
#define CLIO_FREE_PAGES_SHIFT 0
#define CLIO_FREE_PAGES_MASK 0xffffu

/* rule 0 of the match-and-action table; the lowest valid one with the request's pid counts */
#define CLIO_REG_RULE0 0x040
#define CLIO_RULE0_PID_SHIFT 0
#define CLIO_RULE0_PID_MASK 0xffffu
#define CLIO_RULE0_ACTION_SHIFT 16
#define CLIO_RULE0_ACTION_MASK 0x7u
#define CLIO_RULE0_VALID_SHIFT 31
#define CLIO_RULE0_VALID_MASK 0x1u

/* rule 1 of the match-and-action table; the lowest valid one with the request's pid counts */
#define CLIO_REG_RULE1 0x044
#define CLIO_RULE1_PID_SHIFT 0
#define CLIO_RULE1_PID_MASK 0xffffu
#define CLIO_RULE1_ACTION_SHIFT 16
#define CLIO_RULE1_ACTION_MASK 0x7u
#define CLIO_RULE1_VALID_SHIFT 31
#define CLIO_RULE1_VALID_MASK 0x1u

/* rule 2 of the match-and-action table; the lowest valid one with the request's pid counts */
#define CLIO_REG_RULE2 0x048
#define CLIO_RULE2_PID_SHIFT 0
#define CLIO_RULE2_PID_MASK 0xffffu
#define CLIO_RULE2_ACTION_SHIFT 16
#define CLIO_RULE2_ACTION_MASK 0x7u
#define CLIO_RULE2_VALID_SHIFT 31
#define CLIO_RULE2_VALID_MASK 0x1u

/* rule 3 of the match-and-action table; the lowest valid one with the request's pid counts */
#define CLIO_REG_RULE3 0x04c
#define CLIO_RULE3_PID_SHIFT 0
#define CLIO_RULE3_PID_MASK 0xffffu
#define CLIO_RULE3_ACTION_SHIFT 16
#define CLIO_RULE3_ACTION_MASK 0x7u
#define CLIO_RULE3_VALID_SHIFT 31
#define CLIO_RULE3_VALID_MASK 0x1u

/* key of a process, low part; taken when processKey is written */
#define CLIO_REG_PROCESS_KEY_LOW 0x058
#define CLIO_PROCESS_KEY_LOW_SHIFT 0
#define CLIO_PROCESS_KEY_LOW_MASK 0xffffffffu

/* key of a process, high part */
#define CLIO_REG_PROCESS_KEY_HIGH 0x05c
#define CLIO_PROCESS_KEY_HIGH_SHIFT 0
#define CLIO_PROCESS_KEY_HIGH_MASK 0xffffffffu

/* gives a process the key in the registers before, carried out as it is written */
#define CLIO_REG_PROCESS_KEY 0x060
#define CLIO_PROCESS_KEY_PID_SHIFT 0
#define CLIO_PROCESS_KEY_PID_MASK 0xffffu

/* the table of keys (read only) */
#define CLIO_REG_PROCESS_KEYS 0x064
#define CLIO_PROCESS_KEY_COUNT_SHIFT 0
#define CLIO_PROCESS_KEY_COUNT_MASK 0x1ffffu
#define CLIO_PROCESS_KEYS_CLEARING_SHIFT 31
#define CLIO_PROCESS_KEYS_CLEARING_MASK 0x1u

/* when an offload without a reply counts as stuck */
#define CLIO_REG_OFFLOAD_LIMIT 0x0c0
#define CLIO_OFFLOAD_LIMIT_SHIFT 0
#define CLIO_OFFLOAD_LIMIT_MASK 0xffffffu

/* how long the offload in slot 0 has given no reply (read only) */
#define CLIO_REG_OFFLOAD0_SINCE 0x0c4
#define CLIO_OFFLOAD0_SINCE_SHIFT 0
#define CLIO_OFFLOAD0_SINCE_MASK 0xffffffu

/* how long the offload in slot 1 has given no reply (read only) */
#define CLIO_REG_OFFLOAD1_SINCE 0x0c8
#define CLIO_OFFLOAD1_SINCE_SHIFT 0
#define CLIO_OFFLOAD1_SINCE_MASK 0xffffffu

/* how long the offload in slot 2 has given no reply (read only) */
#define CLIO_REG_OFFLOAD2_SINCE 0x0cc
#define CLIO_OFFLOAD2_SINCE_SHIFT 0
#define CLIO_OFFLOAD2_SINCE_MASK 0xffffffu

/* how long the offload in slot 3 has given no reply (read only) */
#define CLIO_REG_OFFLOAD3_SINCE 0x0d0
#define CLIO_OFFLOAD3_SINCE_SHIFT 0
#define CLIO_OFFLOAD3_SINCE_MASK 0xffffffu

/* key of the offloads' hashes, low part; set before the first request */
#define CLIO_REG_OFFLOAD_SECRET_LOW 0x0d4
#define CLIO_OFFLOAD_SECRET_LOW_SHIFT 0
#define CLIO_OFFLOAD_SECRET_LOW_MASK 0xffffffffu

/* key of the offloads' hashes, high part */
#define CLIO_REG_OFFLOAD_SECRET_HIGH 0x0d8
#define CLIO_OFFLOAD_SECRET_HIGH_SHIFT 0
#define CLIO_OFFLOAD_SECRET_HIGH_MASK 0xffffffffu

/* an order about a process, carried out as it is written */
#define CLIO_REG_OFFLOAD_PROCESS 0x0dc
#define CLIO_OFFLOAD_PROCESS_PID_SHIFT 0
#define CLIO_OFFLOAD_PROCESS_PID_MASK 0xffffu
#define CLIO_OFFLOAD_PROCESS_EXISTS_SHIFT 16
#define CLIO_OFFLOAD_PROCESS_EXISTS_MASK 0x1u
#define CLIO_OFFLOAD_PROCESS_FORGET_SHIFT 17
#define CLIO_OFFLOAD_PROCESS_FORGET_MASK 0x1u
#define CLIO_OFFLOAD_PROCESS_SEEN_SHIFT 18
#define CLIO_OFFLOAD_PROCESS_SEEN_MASK 0x1u

/* orders about processes (read only) */
#define CLIO_REG_OFFLOAD_PROCESSES 0x0e0
#define CLIO_OFFLOAD_PROCESS_BUSY_SHIFT 0
#define CLIO_OFFLOAD_PROCESS_BUSY_MASK 0x1u
#define CLIO_OFFLOAD_PROCESS_USED_SHIFT 1
#define CLIO_OFFLOAD_PROCESS_USED_MASK 0x1u
#define CLIO_OFFLOAD_FORGETTING_SHIFT 2
#define CLIO_OFFLOAD_FORGETTING_MASK 0x1u
#define CLIO_OFFLOAD_FORGOTTEN_SHIFT 3
#define CLIO_OFFLOAD_FORGOTTEN_MASK 0x1u
#define CLIO_OFFLOAD_FORGET_FAILED_SHIFT 4
#define CLIO_OFFLOAD_FORGET_FAILED_MASK 0x1u

/* match-and-action table: the entry of an opcode, and its fields */
#define CLIO_MAT(opcode) (0x400 + 4 * (opcode))
#define CLIO_MAT_MALFORMED 0
#define CLIO_MAT_FAST 1
#define CLIO_MAT_SLOW 2
#define CLIO_MAT_EXTEND 3
#define CLIO_MAT_SYNC 4
#define CLIO_MAT_DROP 5
#define CLIO_MAT_ECHO 6
#define CLIO_MAT_ACTION_SHIFT 0
#define CLIO_MAT_ACTION_MASK 0x7u
#define CLIO_MAT_WRITE_SHIFT 3
#define CLIO_MAT_WRITE_MASK 0x1u
#define CLIO_MAT_SILENT_SHIFT 4
#define CLIO_MAT_SILENT_MASK 0x1u
#define CLIO_MAT_OPERATION_SHIFT 5
#define CLIO_MAT_OPERATION_MASK 0x7u
#define CLIO_MAT_REPLY_OPCODE_SHIFT 8
#define CLIO_MAT_REPLY_OPCODE_MASK 0xffu

/* Go-Back-N, in builds with transport = gbn: addresses from CLIO_GBN_BASE */
#define CLIO_GBN_BASE 0x1000

/* tells that the build has Go-Back-N (read only) */
#define CLIO_REG_GBN_IDENTIFICATION 0x000
#define CLIO_GBN_IDENTIFICATION_SHIFT 0
#define CLIO_GBN_IDENTIFICATION_MASK 0xffffffffu

/* what the build has (read only) */
#define CLIO_REG_GBN_GEOMETRY 0x004
#define CLIO_GBN_SESSIONS_LOG2_SHIFT 0
#define CLIO_GBN_SESSIONS_LOG2_MASK 0xfu
#define CLIO_GBN_WINDOW_LOG2_SHIFT 8
#define CLIO_GBN_WINDOW_LOG2_MASK 0xfu

/* opens or closes a session: both directions begin anew */
#define CLIO_REG_GBN_SESSION 0x008
#define CLIO_GBN_SESSION_SHIFT 0
#define CLIO_GBN_SESSION_MASK 0xffffu
#define CLIO_GBN_OPEN_SHIFT 30
#define CLIO_GBN_OPEN_MASK 0x1u
#define CLIO_GBN_GO_SHIFT 31
#define CLIO_GBN_GO_MASK 0x1u

/* what software waits for (read only) */
#define CLIO_REG_GBN_STATE 0x00c
#define CLIO_GBN_IDLE_SHIFT 0
#define CLIO_GBN_IDLE_MASK 0x1u
#define CLIO_GBN_FAILED_WAITING_SHIFT 1
#define CLIO_GBN_FAILED_WAITING_MASK 0x1u

/* sessions that were given up, and are closed; at most 16 are remembered */
#define CLIO_REG_GBN_FAILED 0x010
#define CLIO_GBN_FAILED_SHIFT 0
#define CLIO_GBN_FAILED_MASK 0xffffu
#define CLIO_GBN_FAILED_TAKEN_SHIFT 31
#define CLIO_GBN_FAILED_TAKEN_MASK 0x1u

/* DATA in order (read only) */
#define CLIO_REG_GBN_RX_ACCEPTED 0x040
#define CLIO_GBN_RX_ACCEPTED_SHIFT 0
#define CLIO_GBN_RX_ACCEPTED_MASK 0xffffffffu

/* DATA that had come before (read only) */
#define CLIO_REG_GBN_RX_DUPLICATES 0x044
#define CLIO_GBN_RX_DUPLICATES_SHIFT 0
#define CLIO_GBN_RX_DUPLICATES_MASK 0xffffffffu

/* DATA with some missing before it (read only) */
#define CLIO_REG_GBN_RX_AHEAD 0x048
#define CLIO_GBN_RX_AHEAD_SHIFT 0
#define CLIO_GBN_RX_AHEAD_MASK 0xffffffffu

/* packets of closed sessions, or of another's (read only) */
#define CLIO_REG_GBN_RX_STRANGERS 0x04c
#define CLIO_GBN_RX_STRANGERS_SHIFT 0
#define CLIO_GBN_RX_STRANGERS_MASK 0xffffffffu

/* packets for which, or for whose answer or reply, there was no room (read only) */
#define CLIO_REG_GBN_RX_REFUSED 0x050
#define CLIO_GBN_RX_REFUSED_SHIFT 0
#define CLIO_GBN_RX_REFUSED_MASK 0xffffffffu

/* packets with an unknown type or session, or cut short (read only) */
#define CLIO_REG_GBN_RX_MALFORMED 0x054
#define CLIO_GBN_RX_MALFORMED_SHIFT 0
#define CLIO_GBN_RX_MALFORMED_MASK 0xffffffffu

/* frames with a wrong check sequence (read only) */
#define CLIO_REG_GBN_RX_CORRUPT 0x058
#define CLIO_GBN_RX_CORRUPT_SHIFT 0
#define CLIO_GBN_RX_CORRUPT_MASK 0xffffffffu

/* management packets (read only) */
#define CLIO_REG_GBN_RX_MANAGEMENT 0x05c
#define CLIO_GBN_RX_MANAGEMENT_SHIFT 0
#define CLIO_GBN_RX_MANAGEMENT_MASK 0xffffffffu

/* frames that are no Go-Back-N packets, passed on (read only) */
#define CLIO_REG_GBN_RX_PASSED 0x060
#define CLIO_GBN_RX_PASSED_SHIFT 0
#define CLIO_GBN_RX_PASSED_MASK 0xffffffffu

/* ACKs and NACKs heard (read only) */
#define CLIO_REG_GBN_RX_ACKS_HEARD 0x064
#define CLIO_GBN_RX_ACKS_HEARD_SHIFT 0
#define CLIO_GBN_RX_ACKS_HEARD_MASK 0xffffffffu

/* ACKs sent (read only) */
#define CLIO_REG_GBN_RX_ACKS 0x068
#define CLIO_GBN_RX_ACKS_SHIFT 0
#define CLIO_GBN_RX_ACKS_MASK 0xffffffffu

/* NACKs sent (read only) */
#define CLIO_REG_GBN_RX_NACKS 0x06c
#define CLIO_GBN_RX_NACKS_SHIFT 0
#define CLIO_GBN_RX_NACKS_MASK 0xffffffffu

/* replies given a number (read only) */
#define CLIO_REG_GBN_TX_SENT 0x070
#define CLIO_GBN_TX_SENT_SHIFT 0
#define CLIO_GBN_TX_SENT_MASK 0xffffffffu

/* management packets sent (read only) */
#define CLIO_REG_GBN_TX_MANAGEMENT 0x074
#define CLIO_GBN_TX_MANAGEMENT_SHIFT 0
#define CLIO_GBN_TX_MANAGEMENT_MASK 0xffffffffu

/* frames passed on as they were (read only) */
#define CLIO_REG_GBN_TX_PASSED 0x078
#define CLIO_GBN_TX_PASSED_SHIFT 0
#define CLIO_GBN_TX_PASSED_MASK 0xffffffffu

/* replies of closed sessions, dropped (read only) */
#define CLIO_REG_GBN_TX_CLOSED 0x07c
#define CLIO_GBN_TX_CLOSED_SHIFT 0
#define CLIO_GBN_TX_CLOSED_MASK 0xffffffffu

/* frames sent again (read only) */
#define CLIO_REG_GBN_TX_RESENT 0x080
#define CLIO_GBN_TX_RESENT_SHIFT 0
#define CLIO_GBN_TX_RESENT_MASK 0xffffffffu

/* times that a NACK made a session send again (read only) */
#define CLIO_REG_GBN_TX_NACKED 0x084
#define CLIO_GBN_TX_NACKED_SHIFT 0
#define CLIO_GBN_TX_NACKED_MASK 0xffffffffu

/* times that a timeout did (read only) */
#define CLIO_REG_GBN_TX_TIMEOUTS 0x088
#define CLIO_GBN_TX_TIMEOUTS_SHIFT 0
#define CLIO_GBN_TX_TIMEOUTS_MASK 0xffffffffu

/* sessions given up (read only) */
#define CLIO_REG_GBN_TX_FAILED 0x08c
#define CLIO_GBN_TX_FAILED_SHIFT 0
#define CLIO_GBN_TX_FAILED_MASK 0xffffffffu

/* errors of the memory of the frames kept (read only) */
#define CLIO_REG_GBN_TX_MEMORY_ERRORS 0x090
#define CLIO_GBN_TX_MEMORY_ERRORS_SHIFT 0
#define CLIO_GBN_TX_MEMORY_ERRORS_MASK 0xffffffffu

/* replies that waited for earlier ones (read only) */
#define CLIO_REG_GBN_TX_WAITED 0x094
#define CLIO_GBN_TX_WAITED_SHIFT 0
#define CLIO_GBN_TX_WAITED_MASK 0xffffffffu

/* replies no longer waited for (read only) */
#define CLIO_REG_GBN_TX_SKIPPED 0x098
#define CLIO_GBN_TX_SKIPPED_SHIFT 0
#define CLIO_GBN_TX_SKIPPED_MASK 0xffffffffu

/* replies to an earlier life of their session, dropped (read only) */
#define CLIO_REG_GBN_TX_STALE 0x09c
#define CLIO_GBN_TX_STALE_SHIFT 0
#define CLIO_GBN_TX_STALE_MASK 0xffffffffu

/* counters: low word; the high word follows */
#define CLIO_COUNTER_RX_FRAMES 0x200
#define CLIO_COUNTER_TX_FRAMES 0x208
#define CLIO_COUNTER_DROP_LONG 0x210
#define CLIO_COUNTER_DROP_FCS 0x218
#define CLIO_COUNTER_DROP_SHORT 0x220
#define CLIO_COUNTER_DROP_MAC 0x228
#define CLIO_COUNTER_DROP_ETHER_TYPE 0x230
#define CLIO_COUNTER_DROP_ARP 0x238
#define CLIO_COUNTER_DROP_IP_HEADER 0x240
#define CLIO_COUNTER_DROP_IP_OPTIONS 0x248
#define CLIO_COUNTER_DROP_IP_CHECKSUM 0x250
#define CLIO_COUNTER_DROP_FRAGMENT 0x258
#define CLIO_COUNTER_DROP_IP 0x260
#define CLIO_COUNTER_DROP_LENGTH 0x268
#define CLIO_COUNTER_DROP_PROTOCOL 0x270
#define CLIO_COUNTER_DROP_ICMP 0x278
#define CLIO_COUNTER_DROP_PORT 0x280
#define CLIO_COUNTER_DROP_SOURCE 0x288
#define CLIO_COUNTER_DROP_REPLY 0x290
#define CLIO_COUNTER_DROP_RULE 0x298
#define CLIO_COUNTER_ARP_REPLIES 0x2a0
#define CLIO_COUNTER_ICMP_REPLIES 0x2a8
#define CLIO_COUNTER_NACKS 0x2b0
#define CLIO_COUNTER_MALFORMED 0x2b8
#define CLIO_COUNTER_INVALID 0x2c0
#define CLIO_COUNTER_WRITE_PERMISSION 0x2c8
#define CLIO_COUNTER_READ_PERMISSION 0x2d0
#define CLIO_COUNTER_OUT_OF_MEMORY 0x2d8
#define CLIO_COUNTER_BUSY 0x2e0
#define CLIO_COUNTER_UNANSWERED 0x2e8
#define CLIO_COUNTER_PINGPONGS 0x2f0
#define CLIO_COUNTER_READS 0x2f8
#define CLIO_COUNTER_WRITES 0x300
#define CLIO_COUNTER_WRITES_NO_REPLY 0x308
#define CLIO_COUNTER_ATOMICS 0x310
#define CLIO_COUNTER_DEREFERENCES 0x318
#define CLIO_COUNTER_FENCES 0x320
#define CLIO_COUNTER_READ_BYTES 0x328
#define CLIO_COUNTER_WRITE_BYTES 0x330
#define CLIO_COUNTER_SLOW_REQUESTS 0x338
#define CLIO_COUNTER_EXTEND_REQUESTS 0x340
#define CLIO_COUNTER_PAGE_FAULTS 0x348
#define CLIO_COUNTER_TLB_HITS 0x350
#define CLIO_COUNTER_TLB_MISSES 0x358
#define CLIO_COUNTER_MISSES_MERGED 0x360
#define CLIO_COUNTER_BUCKET_FETCHES 0x368
#define CLIO_COUNTER_TLB_EVICTIONS 0x370
#define CLIO_COUNTER_RETRIES_ANSWERED 0x378
#define CLIO_COUNTER_RETRIES_BUSY 0x380
#define CLIO_COUNTER_RETRIES_EXPIRED 0x388
#define CLIO_COUNTER_RETRY_EVICTIONS 0x390
#define CLIO_COUNTER_RETRY_CLIENTS_REPLACED 0x398
#define CLIO_COUNTER_SHOOTDOWNS 0x3a0
#define CLIO_COUNTER_OFFLOAD0_REQUESTS 0x3a8
#define CLIO_COUNTER_OFFLOAD1_REQUESTS 0x3b0
#define CLIO_COUNTER_OFFLOAD2_REQUESTS 0x3b8
#define CLIO_COUNTER_OFFLOAD3_REQUESTS 0x3c0
#define CLIO_COUNTER_OFFLOAD0_ACCESSES 0x3c8
#define CLIO_COUNTER_OFFLOAD1_ACCESSES 0x3d0
#define CLIO_COUNTER_OFFLOAD2_ACCESSES 0x3d8
#define CLIO_COUNTER_OFFLOAD3_ACCESSES 0x3e0
#define CLIO_COUNTER_OFFLOAD_BUSY 0x3e8
#define CLIO_COUNTER_OFFLOAD_REPEATED 0x3f0
#define CLIO_COUNTER_TABLE_WRITE_ERRORS 0x3f8

#endif
