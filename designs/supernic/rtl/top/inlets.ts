/** The ways into the device and out of it: parts of the top, each an instance or some with what belongs to them. */
import {
  type Bit,
  constant,
  fromCode,
  instance,
  reg,
  uint,
  type UInt,
  type Val,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { Counters } from "../../../shared/counters/rtl/index.ts";
import { ruleKeyBits, ternaryChunks } from "../../wire/index.ts";
import { beatBytes, type TableBus } from "../inside/index.ts";
import { LinkReceive, type LinkReceiveParameters, TxPort, type TxPortParameters } from "../link/index.ts";
import { MatchAction } from "../match/index.ts";
import { RxPort } from "../port/index.ts";
import { fateBits, loopCounterBits, portCounterBits, receiverBits, senderBits } from "./counts.ts";
import type { DeviceParameters, DeviceSet } from "./records.ts";
import { ternaryOf, writeOf } from "./tables.ts";

/** Bytes that a frame grows by at most on its way: a template, a tag, and a shim; or as much by a redirect. */
export const mostGrowth = 64 + 4 + 8;
/** The partner of a link is who is at its other end: a group address that no bridge passes on (802.1Q, 8.6.3). */
const nearest = 0x0180c200000en;
const macBits = 48,
  chunkBits = (keyBits: number): number => Math.ceil(Math.log2(ternaryChunks(keyBits)));

type Set = Val<ReturnType<typeof DeviceSet>>;
type Bus = Val<typeof TableBus>;

/** ACK each 16 frames or 2 us (design: supernic.md, section 3). */
const receiving: LinkReceiveParameters = { ackEvery: 16, ackCycles: 500 };
/** Again after 20 us, 8 times; XOFF for as long as PFC can say, and refreshed. */
const sending = (p: DeviceParameters): TxPortParameters => ({
  beats: p.linkBytes / beatBytes,
  frames: 1024,
  frameBytes: p.frameBytes + mostGrowth,
  resendCycles: 5_000,
  tries: 8,
  rounds: 512,
  pauseQuanta: 8_192,
});

/** A way into the device, with its part of the tables. The loop port is the last. */
export function inletOf(i: number, p: DeviceParameters, set: Set, bus: Bus, users: ReturnType<typeof writeOf<"user">>) {
  const isLoop = i === p.ports,
    rx = instance(isLoop ? "rx_loop" : `rx_${i}`, RxPort(p)),
    ofPort = (mask: UInt): Bit => (isLoop ? constant(0, 1) : mask.bit(i));
  rx.judged.set({ reliable: ofPort(set.reliable), peer: ofPort(set.peers), class: set.classes.at(i) });
  rx.config.set({
    mac: set.mac,
    port: i,
    control: ofPort(set.control),
    hasUplink: set.hasUplink,
    uplink: set.uplink,
    rings: set.rings,
    rules: set.rules.at(i),
    macs: set.macs,
  });
  const { value, ...action } = writeOf(bus, "ruleAction", i);
  rx.tables.set({
    rules: ternaryOf(bus, "ruleWord", chunkBits(ruleKeyBits), i),
    actions: { ...action, value: { ...value, action: fromCode(MatchAction, value.action.is(3), "drop") } },
    macs: ternaryOf(bus, "macWord", chunkBits(macBits), i),
    entries: writeOf(bus, "macEntry", i),
    uids: writeOf(bus, "uid", i),
  });
  rx.users.set(users);
  return rx;
}
export type Inlet = ReturnType<typeof inletOf>;

/** Counters of a block; software looks at one of all. */
export function countersOf(name: string, bits: readonly number[], index: UInt, events: readonly UInt[]): UInt {
  const counters = instance(name, Counters({ bits }));
  // Behind registers, as they are counted anywhere.
  const widest = Math.max(...bits),
    behind = reg(vec(uint(widest), bits.length), { init: 0, name: `${name}_events` });
  events.forEach((e, k) => {
    behind.at(k).set(e.zext(widest));
    counters.increments.at(k).set(behind.at(k));
  });
  counters.index.set(index.resize(counters.index.width));
  return counters.value;
}

/** What leaves by a port, its link, and what both count. */
export function outletOf(i: number, p: DeviceParameters, set: Set, rx: Inlet, counter: UInt) {
  const tx = instance(`tx_${i}`, TxPort(sending(p))),
    link = instance(`link_${i}`, LinkReceive(receiving)),
    reliable = set.reliable.bit(i),
    restart = set.restart.bit(i);
  tx.config.set({ reliable, mac: set.mac, partner: nearest });
  tx.restart.set(restart);
  link.reliable.set(reliable);
  link.restart.set(restart);
  link.down.set(tx.down);
  link.seen.set(rx.seen);
  rx.accept.set(link.accept);
  tx.answer.set(link.answer);
  link.told.set(tx.told);
  tx.acked.set(link.acked);
  tx.full.set(rx.full);
  tx.pfc.set(rx.pfc);
  const count = countersOf(`counts_${i}`, portCounterBits, counter, [
    ...fateBits(rx.fate),
    ...senderBits(tx.events),
    ...receiverBits(link.refused),
  ]);
  return { tx, count };
}
/** The loop port keeps all that has room. */
export function loopCounts(rx: Inlet, counter: UInt): UInt {
  rx.accept.set(rx.seen.room);
  return countersOf("counts_loop", loopCounterBits, counter, fateBits(rx.fate));
}
