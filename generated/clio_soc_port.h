/* Generated from designs/clio/registers/soc-port.ts. Do not edit. */
#ifndef CLIO_SOC_PORT_REGISTERS_H
#define CLIO_SOC_PORT_REGISTERS_H

/* tells that this is the slow path's port (read only) */
#define CLIO_SOC_PORT_REG_PORT_IDENTIFICATION 0x000
#define CLIO_SOC_PORT_PORT_IDENTIFICATION_SHIFT 0
#define CLIO_SOC_PORT_PORT_IDENTIFICATION_MASK 0xffffffffu

/* what the build has (read only) */
#define CLIO_SOC_PORT_REG_GEOMETRY 0x004
#define CLIO_SOC_PORT_RING_SLOTS_LOG2_SHIFT 0
#define CLIO_SOC_PORT_RING_SLOTS_LOG2_MASK 0x1fu
#define CLIO_SOC_PORT_RING_SLOT_BYTES_LOG2_SHIFT 8
#define CLIO_SOC_PORT_RING_SLOT_BYTES_LOG2_MASK 0x1fu
#define CLIO_SOC_PORT_FREE_PAGE_CAPACITY_LOG2_SHIFT 16
#define CLIO_SOC_PORT_FREE_PAGE_CAPACITY_LOG2_MASK 0x1fu

/* what software waits for; bits 0 to 3 can raise the interrupt, which is up while one that is enabled is 1 (read only) */
#define CLIO_SOC_PORT_REG_STATUS 0x008
#define CLIO_SOC_PORT_RX_WAITING_SHIFT 0
#define CLIO_SOC_PORT_RX_WAITING_MASK 0x1u
#define CLIO_SOC_PORT_PAGES_LOW_SHIFT 1
#define CLIO_SOC_PORT_PAGES_LOW_MASK 0x1u
#define CLIO_SOC_PORT_SHOOTDOWN_IDLE_SHIFT 2
#define CLIO_SOC_PORT_SHOOTDOWN_IDLE_MASK 0x1u
#define CLIO_SOC_PORT_EXCHANGE_IDLE_SHIFT 3
#define CLIO_SOC_PORT_EXCHANGE_IDLE_MASK 0x1u
#define CLIO_SOC_PORT_FREE_PAGE_IDLE_SHIFT 4
#define CLIO_SOC_PORT_FREE_PAGE_IDLE_MASK 0x1u
#define CLIO_SOC_PORT_EXCHANGE_READ_FAILED_SHIFT 5
#define CLIO_SOC_PORT_EXCHANGE_READ_FAILED_MASK 0x1u
#define CLIO_SOC_PORT_EXCHANGE_WRITE_FAILED_SHIFT 6
#define CLIO_SOC_PORT_EXCHANGE_WRITE_FAILED_MASK 0x1u

/* which of the states raise the interrupt */
#define CLIO_SOC_PORT_REG_INTERRUPTS 0x00c
#define CLIO_SOC_PORT_INTERRUPT_ENABLE_SHIFT 0
#define CLIO_SOC_PORT_INTERRUPT_ENABLE_MASK 0xfu

/* frames that have come into the receive ring, modulo 2^16 (read only) */
#define CLIO_SOC_PORT_REG_RX_HEAD 0x010
#define CLIO_SOC_PORT_RX_HEAD_SHIFT 0
#define CLIO_SOC_PORT_RX_HEAD_MASK 0xffffu

/* frames that software has taken, modulo 2^16: written when it has */
#define CLIO_SOC_PORT_REG_RX_TAIL 0x014
#define CLIO_SOC_PORT_RX_TAIL_SHIFT 0
#define CLIO_SOC_PORT_RX_TAIL_MASK 0xffffu

/* of the oldest frame that has not been taken (read only) */
#define CLIO_SOC_PORT_REG_RX_LENGTH 0x018
#define CLIO_SOC_PORT_RX_LENGTH_SHIFT 0
#define CLIO_SOC_PORT_RX_LENGTH_MASK 0x3fffu

/* frames that software has handed over, modulo 2^16 (read only) */
#define CLIO_SOC_PORT_REG_TX_HEAD 0x020
#define CLIO_SOC_PORT_TX_HEAD_SHIFT 0
#define CLIO_SOC_PORT_TX_HEAD_MASK 0xffffu

/* frames that have left, modulo 2^16 (read only) */
#define CLIO_SOC_PORT_REG_TX_TAIL 0x024
#define CLIO_SOC_PORT_TX_TAIL_SHIFT 0
#define CLIO_SOC_PORT_TX_TAIL_MASK 0xffffu

/* hands over the frame that stands in slot txHead */
#define CLIO_SOC_PORT_REG_TX_COMMIT 0x028
#define CLIO_SOC_PORT_TX_COMMIT_SHIFT 0
#define CLIO_SOC_PORT_TX_COMMIT_MASK 0x3fffu

/* a zeroed frame for the free-page buffer */
#define CLIO_SOC_PORT_REG_FREE_PAGE 0x030
#define CLIO_SOC_PORT_FREE_PAGE_SHIFT 0
#define CLIO_SOC_PORT_FREE_PAGE_MASK 0x7fffffffu
#define CLIO_SOC_PORT_FREE_PAGE_GO_SHIFT 31
#define CLIO_SOC_PORT_FREE_PAGE_GO_MASK 0x1u

/* the free-page buffer (read only) */
#define CLIO_SOC_PORT_REG_FREE_PAGES_HELD 0x034
#define CLIO_SOC_PORT_FREE_PAGES_HELD_SHIFT 0
#define CLIO_SOC_PORT_FREE_PAGES_HELD_MASK 0xffffu

/* whose page the hardware is to forget */
#define CLIO_SOC_PORT_REG_SHOOTDOWN_PID 0x038
#define CLIO_SOC_PORT_SHOOTDOWN_PID_SHIFT 0
#define CLIO_SOC_PORT_SHOOTDOWN_PID_MASK 0xffffu

/* its virtual page number, low part */
#define CLIO_SOC_PORT_REG_SHOOTDOWN_VPN_LOW 0x03c
#define CLIO_SOC_PORT_SHOOTDOWN_VPN_LOW_SHIFT 0
#define CLIO_SOC_PORT_SHOOTDOWN_VPN_LOW_MASK 0xffffffffu

/* its high part, and the order */
#define CLIO_SOC_PORT_REG_SHOOTDOWN_VPN_HIGH 0x040
#define CLIO_SOC_PORT_SHOOTDOWN_VPN_HIGH_SHIFT 0
#define CLIO_SOC_PORT_SHOOTDOWN_VPN_HIGH_MASK 0xfffffu
#define CLIO_SOC_PORT_SHOOTDOWN_GO_SHIFT 31
#define CLIO_SOC_PORT_SHOOTDOWN_GO_MASK 0x1u

/* byte address of a table entry, low part */
#define CLIO_SOC_PORT_REG_EXCHANGE_LOW 0x044
#define CLIO_SOC_PORT_EXCHANGE_LOW_SHIFT 0
#define CLIO_SOC_PORT_EXCHANGE_LOW_MASK 0xffffffffu

/* its high part */
#define CLIO_SOC_PORT_REG_EXCHANGE_HIGH 0x048
#define CLIO_SOC_PORT_EXCHANGE_HIGH_SHIFT 0
#define CLIO_SOC_PORT_EXCHANGE_HIGH_MASK 0xffffu

/* what is to stand there, low part */
#define CLIO_SOC_PORT_REG_NEW_ENTRY_LOW 0x04c
#define CLIO_SOC_PORT_NEW_ENTRY_LOW_SHIFT 0
#define CLIO_SOC_PORT_NEW_ENTRY_LOW_MASK 0xffffffffu

/* its high part */
#define CLIO_SOC_PORT_REG_NEW_ENTRY_HIGH 0x050
#define CLIO_SOC_PORT_NEW_ENTRY_HIGH_SHIFT 0
#define CLIO_SOC_PORT_NEW_ENTRY_HIGH_MASK 0xffffffffu

/* the order */
#define CLIO_SOC_PORT_REG_EXCHANGE_GO 0x054
#define CLIO_SOC_PORT_EXCHANGE_GO_SHIFT 0
#define CLIO_SOC_PORT_EXCHANGE_GO_MASK 0x1u

/* what stood there before the last exchange, low part (read only) */
#define CLIO_SOC_PORT_REG_OLD_ENTRY_LOW 0x058
#define CLIO_SOC_PORT_OLD_ENTRY_LOW_SHIFT 0
#define CLIO_SOC_PORT_OLD_ENTRY_LOW_MASK 0xffffffffu

/* its high part (read only) */
#define CLIO_SOC_PORT_REG_OLD_ENTRY_HIGH 0x05c
#define CLIO_SOC_PORT_OLD_ENTRY_HIGH_SHIFT 0
#define CLIO_SOC_PORT_OLD_ENTRY_HIGH_MASK 0xffffffffu

/* what software has done wrong; a 1 that is written clears */
#define CLIO_SOC_PORT_REG_FAULTS 0x060
#define CLIO_SOC_PORT_REFUSED_SHIFT 0
#define CLIO_SOC_PORT_REFUSED_MASK 0x1u

#endif
