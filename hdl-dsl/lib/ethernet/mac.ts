import { input, output, type Port, sink, source, type StreamPort } from "../../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, Inside, StreamIn, UInt, Val } from "../../types/value.ts";
import type { ClockDomain } from "../../ir/circuit.ts";
import { clockDomain, inDomain } from "../../build/clock-domain.ts";
import { node, reg } from "../../build/declare.ts";
import { instance, module } from "../../build/module.ts";
import { cat } from "../../build/value.ts";
import { connectAny } from "../../stream/connect.ts";
import { axisBeat, type AxisBeatShape } from "../axi/index.ts";
import { AsyncFifo, PacketFifo } from "../queues/index.ts";
import { synchronise } from "../clocks/index.ts";
import { countedIn } from "./counters.ts";
import type { Received } from "./frame.ts";
import { type LineBeat, receivedKinds } from "./frame.ts";
import { checkLongest, GmiiReceiver } from "./gmii-receive.ts";
import { Gmii, GmiiTransmitter } from "./gmii-transmit.ts";
import { findPause, PauseRequest, pauseTimer, Quanta, withPauses } from "./pause.ts";
import { receiveStore } from "./receive-store.ts";
import { idleWord, Xgmii } from "./xgmii.ts";
import { XgmiiReceiver } from "./xgmii-receive.ts";
import { XgmiiTransmitter } from "./xgmii-transmit.ts";

/** Which line, which frames, and how much is stored. */
export interface EthernetMacParameters {
  /** The longest frame that is received, with its check sequence; 1522 when left out (with a VLAN tag). */
  readonly longest?: number;
  /** Beats of the store of each way; enough for the longest frame and one more when left out. */
  readonly depth?: number;
}
/**
 * RGMII of a cycle: four bits and their control at the rising and at the falling edge of the clock. Registers of the
 * pads for both edges (ODDR, IDDR) stand between these and the pins.
 */
export const Rgmii = struct({ rise: uint(4), fall: uint(4), controlRise: bit, controlFall: bit });

/** Frames so far, each count modulo 2^16. */
export const MacCounts = struct({
  good: uint(16),
  code: uint(16),
  short: uint(16),
  long: uint(16),
  check: uint(16),
  overflow: uint(16),
  unsent: uint(16),
  pauses: uint(16),
});
type MacPorts<L extends StructShape> = {
  readonly send: StreamPort<"in", AxisBeatShape>;
  readonly received: StreamPort<"out", AxisBeatShape>;
  readonly counts: Port<"out", typeof MacCounts>;
  readonly pause: StreamPort<"in", UIntShape<16>>;
  readonly station: Port<"in", UIntShape<48>>;
  readonly obeys: Port<"in", UIntShape<1>>;
  readonly paused: Port<"out", UIntShape<1>>;
  readonly txLine: Port<"out", L>;
  readonly rxLine: Port<"in", L>;
};
const macPorts = <L extends StructShape>(bytes: number, line: L): MacPorts<L> => ({
  send: sink(axisBeat(bytes), { domain: "user" }),
  received: source(axisBeat(bytes), { domain: "user" }),
  counts: output(MacCounts, { domain: "user" }),
  pause: sink(Quanta, { domain: "user" }),
  station: input(uint(48), { domain: "user" }),
  obeys: input(bit, { domain: "user" }),
  paused: output(bit, { domain: "user" }),
  txLine: output(line, { domain: "tx" }),
  rxLine: input(line, { domain: "rx" }),
});
const LONGEST = 1522;
interface Sizes {
  readonly bytes: number;
  readonly longest: number;
  readonly depth: number;
}
function sizesOf(what: string, bytes: number, p: EthernetMacParameters): Sizes {
  const longest = p.longest ?? LONGEST;
  checkLongest(what, longest);
  const depth = p.depth ?? 2 ** Math.ceil(Math.log2((2 * longest) / bytes));
  if (!Number.isInteger(depth) || depth * bytes < longest)
    throw new RangeError(`${what}: depth is ${depth}; a frame of ${longest} bytes takes ${Math.ceil(longest / bytes)}`);
  return { bytes, longest, depth };
}
/** Beats that cross between the clocks at a time: the round trip of clocks about equal. */
const CROSSING = 16;

type Clocks = Readonly<Record<"user" | "tx" | "rx", ClockDomain>>;
const clocksOf = (): Clocks => ({ user: clockDomain("user"), tx: clockDomain("tx"), rx: clockDomain("rx") });

type User = Inside<MacPorts<typeof Rgmii>>;
/** PAUSE frames that wait for a crossing: each way at most one in the time of 84 bytes. */
const PAUSES = 4;
/**
 * Frames of the user, whole, and PAUSE frames, in the line's clock, when they may go. @param times of PAUSE frames
 * that have been received
 */
function toLine(
  io: Pick<User, "send" | "pause" | "station" | "obeys" | "paused">,
  times: StreamIn<typeof Quanta>,
  clocks: Clocks,
  s: Sizes,
) {
  const beat = axisBeat(s.bytes),
    crossing = instance("send_crossing", AsyncFifo({ shape: beat, depth: CROSSING, style: "distributed" }), {
      domains: { push: clocks.user, pop: clocks.tx },
    });
  connectAny(io.send, crossing.push);
  const requests = instance("pause_requests", AsyncFifo({ shape: PauseRequest, depth: PAUSES, style: "distributed" }), {
    domains: { push: clocks.user, pop: clocks.tx },
  });
  inDomain(clocks.user, () => {
    requests.push.valid.set(io.pause.valid);
    requests.push.payload.set({ quanta: io.pause.payload, station: io.station });
    io.pause.ready.set(requests.push.ready);
  });
  const out = inDomain(clocks.tx, () => {
    const store = instance("send_frames", PacketFifo({ shape: beat, depth: s.depth, last: "last", style: "block" }));
    connectAny(crossing.pop, store.push);
    const paused = pauseTimer(times, synchronise(io.obeys, { name: "obeys_seen" }), s.bytes);
    return { frames: withPauses(store.pop, requests.pop, paused, s.bytes), unsent: store.dropped, paused };
  });
  inDomain(clocks.user, () => io.paused.set(synchronise(out.paused, { name: "paused_seen" })));
  return out;
}
type Verdict = Val<typeof Received>;
/** Good frames of the line, to the user; the times of PAUSE frames among them go to the sender. */
function fromLine(
  io: Pick<User, "received">,
  clocks: Clocks,
  line: { readonly beat: Val<LineBeat>; readonly received: Verdict },
  s: Sizes,
) {
  const crossing = instance(
    "receive_crossing",
    AsyncFifo({ shape: axisBeat(s.bytes), depth: CROSSING, style: "distributed" }),
    { domains: { push: clocks.rx, pop: clocks.user } },
  );
  connectAny(crossing.pop, io.received);
  const times = instance("pause_times", AsyncFifo({ shape: Quanta, depth: PAUSES, style: "distributed" }), {
    domains: { push: clocks.rx, pop: clocks.tx },
  });
  const events = inDomain(clocks.rx, () => {
    const { beat, received } = line,
      { found, quanta } = findPause(beat, s.bytes),
      pause = node(found.and(received.good), { name: "pause_came" });
    const { frames, overflow } = receiveStore({ ...beat, bad: beat.bad.or(found) }, s.bytes, s.depth);
    connectAny(frames, crossing.push);
    times.push.valid.set(pause);
    times.push.payload.set(quanta);
    return { overflow, pause };
  });
  return { ...events, times: times.pop };
}
function counted(
  io: Pick<User, "counts">,
  clocks: Clocks,
  events: { readonly received: Verdict; readonly overflow: Bit; readonly unsent: Bit; readonly pause: Bit },
): void {
  const count = (domain: ClockDomain, event: Bit, name: string) =>
    inDomain(clocks.user, () => countedIn(domain, event, 16, `${name}_count`).is(16));
  const [good, code, short, long, check] = receivedKinds.map(k => count(clocks.rx, events.received[k], k));
  io.counts.set({
    good: good as UInt<16>,
    code: code as UInt<16>,
    short: short as UInt<16>,
    long: long as UInt<16>,
    check: check as UInt<16>,
    overflow: count(clocks.rx, events.overflow, "overflow"),
    unsent: count(clocks.tx, events.unsent, "unsent"),
    pauses: count(clocks.rx, events.pause, "pauses"),
  });
}

/**
 * Ethernet MAC of 1 Gbit/s with RGMII (125 MHz; 10 and 100 Mbit/s are not made). `send` and `received` are frames
 * without preamble and check sequence, a byte a beat, in the user's clock; `tx` and `rx` are the line's clocks.
 * `WidthAdapter` makes wider beats of them.
 *
 * Sending: a frame goes when it is whole, padded to 60 bytes, with its check sequence, and at least 12 bytes of gap.
 * Full: `send.ready` is 0. A frame longer than the store is not sent, and counted (`unsent`). Receiving: a frame comes
 * out when it is whole and good; bad ones are dropped, and counted by their reason (`Received`). A frame that finds no
 * room is lost as a whole (`overflow`; `good` has it as well).
 *
 * PAUSE (802.3, annex 31B): with `obeys` a PAUSE frame that is received makes the sender wait for its time, in quanta
 * of 64 bytes: a frame that has been offered to the line goes to its end, and no new one begins. A later one counts
 * instead, 0 ends the wait. `paused` tells of it. PAUSE frames go to the group 01-80-C2-00-00-01; they do not come out
 * at `received`, also without `obeys`, and are counted (`pauses`, and as `good`), also when the store is full.
 * `pause` sends one with that time from the address `station` (first byte highest). It goes before the next frame,
 * also while the sender waits. Four wait; then `pause.ready` is 0. Nothing sends one by itself, and times for each
 * class (802.1Qbb) come out as frames like others.
 * Latency with equal clocks: 6 cycles from `pause` to the line, 9 from a PAUSE frame's end on the line to `paused`.
 *
 * Latency of a frame of n bytes with equal clocks: n + 5 cycles from its first beat to the line, 6 from its last
 * byte on the line to its first beat. Of those 1 cycle of one clock and 2 to 3 of the other are a crossing. Counts
 * come 2 to 3 cycles of the user's clock
 * behind. All three clocks are reset together; what is under way is forgotten.
 */
export const RgmiiMac = module(
  "RgmiiMac",
  (p: EthernetMacParameters) => {
    sizesOf("RgmiiMac", 1, p);
    return macPorts(1, Rgmii);
  },
  (io, p) => {
    const s = sizesOf("RgmiiMac", 1, p),
      clocks = clocksOf();
    const receiver = inDomain(clocks.rx, () => {
      // In reset as within a frame: what is left of one on the line is none.
      const line = reg(Gmii, { init: { en: 1, er: 0, data: 0 }, name: "line" }),
        { rise, fall, controlRise, controlFall } = io.rxLine;
      line.set({ en: controlRise, er: controlRise.xor(controlFall), data: cat(fall, rise) });
      const unit = instance("receiver", GmiiReceiver({ longest: s.longest }));
      unit.line.set(line);
      return unit;
    });
    const received = fromLine(io, clocks, receiver, s);
    const out = toLine(io, received.times, clocks, s);
    inDomain(clocks.tx, () => {
      const transmitter = instance("transmitter", GmiiTransmitter());
      connectAny(out.frames, transmitter.from);
      const { en, er, data } = transmitter.line;
      io.txLine.set({ rise: data.bits(0, 4), fall: data.bits(4, 4), controlRise: en, controlFall: en.xor(er) });
    });
    counted(io, clocks, { received: receiver.received, ...received, unsent: out.unsent });
  },
);

/**
 * Ethernet MAC of 10 Gbit/s with XGMII of 64 bits (156.25 MHz). `send` and `received` are frames without preamble and
 * check sequence, eight bytes a beat, in the user's clock; `tx` and `rx` are the line's clocks.
 *
 * Sending: a frame goes when it is whole, padded to 60 bytes, with its check sequence. Gaps are 12 bytes on average
 * (`XgmiiTransmitter`). Full: `send.ready` is 0. A frame longer than the store is not sent, and counted (`unsent`).
 * Receiving: a frame comes out when it is whole and good; bad ones are dropped, and counted by their reason
 * (`Received`). A frame that finds no room is lost as a whole (`overflow`; `good` has it as well). Faults of
 * the link (sequences) are no frames.
 *
 * PAUSE (802.3, annex 31B): with `obeys` a PAUSE frame that is received makes the sender wait for its time, in quanta
 * of 64 bytes: a frame that has been offered to the line goes to its end, and no new one begins. A later one counts
 * instead, 0 ends the wait. `paused` tells of it. PAUSE frames go to the group 01-80-C2-00-00-01; they do not come out
 * at `received`, also without `obeys`, and are counted (`pauses`, and as `good`), also when the store is full.
 * `pause` sends one with that time from the address `station` (first byte highest). It goes before the next frame,
 * also while the sender waits. Four wait; then `pause.ready` is 0. Nothing sends one by itself, and times for each
 * class (802.1Qbb) come out as frames like others.
 * Latency with equal clocks: 8 cycles from `pause` to the line, 14 from a PAUSE frame's end on the line to `paused`.
 *
 * Latency of a frame of n beats with equal clocks: n + 7 cycles from its first beat to the line, 10 from its last
 * word on the line to its first beat. Of those 1 cycle of one clock and 2 to 3 of the other are a crossing. Counts
 * come 2 to 3 cycles of the user's clock
 * behind. All three clocks are reset together; what is under way is forgotten.
 */
export const XgmiiMac = module(
  "XgmiiMac",
  (p: EthernetMacParameters) => {
    sizesOf("XgmiiMac", 8, p);
    return macPorts(8, Xgmii);
  },
  (io, p) => {
    const s = sizesOf("XgmiiMac", 8, p),
      clocks = clocksOf();
    const receiver = inDomain(clocks.rx, () => {
      const line = reg(Xgmii, { init: idleWord, name: "line" });
      line.set(io.rxLine);
      const unit = instance("receiver", XgmiiReceiver({ longest: s.longest }));
      unit.line.set(line);
      return unit;
    });
    const received = fromLine(io, clocks, receiver, s);
    const out = toLine(io, received.times, clocks, s);
    inDomain(clocks.tx, () => {
      const transmitter = instance("transmitter", XgmiiTransmitter());
      connectAny(out.frames, transmitter.from);
      io.txLine.set(transmitter.line);
    });
    counted(io, clocks, { received: receiver.received, ...received, unsent: out.unsent });
  },
);
