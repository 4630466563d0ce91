import {
  assertAlways,
  axi4Master,
  type Axi4Parameters,
  axi4Slave,
  bit,
  type Bit,
  cat,
  constant,
  fsm,
  type Inside,
  module,
  mux,
  node,
  reg,
  repeat,
  sink,
  source,
  uint,
  type UInt,
  unpack,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Exchange, Exchanged } from "./soc-port/ports.ts";

const counterBits = 10;

const entryExchangePorts = (p: Axi4Parameters) => ({
  ...axi4Slave("s", p),
  ...axi4Master("m", p),
  exchange: sink(Exchange(p.addressBits)),
  exchanged: source(Exchanged),
});
type Io = Inside<ReturnType<typeof entryExchangePorts>>;

/** The entry, and the memory's beat that it lies in. */
function entryOf(io: Io, p: Axi4Parameters) {
  const words = p.beatBytes / 8,
    wordBits = Math.log2(words),
    size = Math.log2(p.beatBytes);
  const { address, bits } = io.exchange.payload;
  const lane: UInt = wordBits === 0 ? constant(0, 1) : address.bits(3, wordBits);
  const aligned = cat(address.bits(size, p.addressBits - size), constant(0, size));

  /** The access to that beat. */
  const access = () => ({
    addr: aligned,
    id: constant(0, p.idBits),
    len: constant(0, 8),
    size: constant(size, 3),
    burst: constant(1, 2),
  });
  return { words, wordBits, bits, lane, access };
}
type Entry = ReturnType<typeof entryOf>;

/** The exchange, step by step. */
function exchangeOf(io: Io, { words, lane }: Entry) {
  const reads = reg(uint(counterBits), { init: 0 });
  const writes = reg(uint(counterBits), { init: 0 });
  // Closed to the node, each for itself: never while one of its addresses waits to be taken, which would withdraw it.
  const arClosed = reg(bit, { init: 0 });
  const awClosed = reg(bit, { init: 0 });
  const wDone = reg(bit, { init: 0 });
  const awDone = reg(bit, { init: 0 });
  const exchanged = reg(Exchanged);
  const state = fsm(["open", "drain", "ask", "read", "put", "answer", "tell"], "open", m => ({
    open: () => when(io.exchange.valid, () => m.go("drain")),
    drain: () => when(arClosed.and(awClosed).and(reads.eq(0)).and(writes.eq(0)), () => m.go("ask")),
    ask: () => when(io.mAr.ready, () => m.go("read")),
    read: () => {
      when(io.mR.valid, () => {
        const failed = io.mR.payload.resp.any();
        exchanged.set({
          old: unpack(vec(uint(64), words), io.mR.payload.data).at(lane),
          readFailed: failed,
          writeFailed: 0,
        });
        awDone.set(0);
        wDone.set(0);
        when(failed, () => m.go("tell")).otherwise(() => m.go("put"));
      });
    },
    put: () => {
      when(io.mAw.ready, () => awDone.set(1));
      when(io.mW.ready, () => wDone.set(1));
      when(awDone.or(io.mAw.ready).and(wDone.or(io.mW.ready)), () => m.go("answer"));
    },
    answer: () => {
      when(io.mB.valid, () => {
        exchanged.writeFailed.set(io.mB.payload.resp.any());
        m.go("tell");
      });
    },
    tell: () => when(io.exchanged.ready, () => m.go("open")),
  }));
  const closing = node(state.is("drain"));
  const ours = {
    ask: node(state.is("ask")),
    read: node(state.is("read")),
    put: node(state.is("put")),
    answer: node(state.is("answer")),
  };
  return { reads, writes, arClosed, awClosed, wDone, awDone, exchanged, state, closing, ours };
}
type Exchanging = ReturnType<typeof exchangeOf>;

/** Closes and opens the addresses of the node. */
function close(io: Io, { arClosed, awClosed, state, closing }: Exchanging): void {
  for (const [closed, channel] of [
    [arClosed, io.sAr],
    [awClosed, io.sAw],
  ] as const) {
    when(state.is("open"), () => closed.set(0)).elseWhen(closing.and(channel.valid.not().or(channel.ready)), () =>
      closed.set(1),
    );
  }
}

/** Addresses: the node's, or those of the exchange. */
function passAddresses(io: Io, { access }: Entry, { arClosed, awClosed, awDone, wDone, ours }: Exchanging) {
  io.mAr.valid.set(io.sAr.valid.and(arClosed.not()).or(ours.ask));
  io.mAr.payload.set(mux(ours.ask, access(), io.sAr.payload));
  io.sAr.ready.set(io.mAr.ready.and(arClosed.not()));
  const putsAddress = node(ours.put.and(awDone.not())),
    putsData = node(ours.put.and(wDone.not()));
  io.mAw.valid.set(io.sAw.valid.and(awClosed.not()).or(putsAddress));
  io.mAw.payload.set(mux(putsAddress, access(), io.sAw.payload));
  io.sAw.ready.set(io.mAw.ready.and(awClosed.not()));
  return putsData;
}

/**
 * Data of the node pass behind their address only: none can wait at the memory when the exchange's own come. They do
 * not wait until it is taken: the memory may wait for them (AXI4, A3.3.1).
 */
function passData(io: Io, { words, wordBits, bits, lane }: Entry, { awClosed, ours }: Exchanging, putsData: Bit) {
  const offered = node(io.sAw.valid.and(awClosed.not()));
  const stands = reg(bit, { init: 0 });
  stands.set(offered.and(io.mAw.ready.not()));
  const owed = reg(uint(counterBits), { init: 0 });
  const wOpen = node(owed.any());
  const strobes =
    wordBits === 0
      ? constant(255, 8)
      : cat(...Array.from({ length: words }, (_, i) => repeat(lane.eq(i), 8)).reverse());
  io.mW.valid.set(mux(ours.put, putsData, io.sW.valid.and(wOpen)));
  io.mW.payload.set(mux(ours.put, { data: repeat(bits, words), strb: strobes, last: constant(1, 1) }, io.sW.payload));
  io.sW.ready.set(io.mW.ready.and(wOpen));
  return { offered, stands, owed };
}

/** Answers, to whom they belong. */
function passAnswers(io: Io, { ours }: Exchanging): void {
  io.sR.valid.set(io.mR.valid.and(ours.read.not()));
  io.sR.payload.set(io.mR.payload);
  io.mR.ready.set(ours.read.or(io.sR.ready));
  io.sB.valid.set(io.mB.valid.and(ours.answer.not()));
  io.sB.payload.set(io.mB.payload);
  io.mB.ready.set(ours.answer.or(io.sB.ready));
}

/** Counts accesses under way. */
function count(io: Io, { reads, writes }: Exchanging, { offered, stands, owed }: ReturnType<typeof passData>): void {
  const counted = (count: typeof reads, begins: Bit, ends: Bit): void => {
    when(begins.and(ends.not()), () => count.set(count.add(1))).elseWhen(ends.and(begins.not()), () =>
      count.set(count.sub(1)),
    );
    assertAlways(begins.and(count.all()).not(), "no more accesses are under way than are counted");
  };
  counted(reads, io.sAr.fire, io.sR.fire.and(io.sR.payload.last));
  counted(owed, offered.and(stands.not()), io.sW.fire.and(io.sW.payload.last));
  counted(writes, io.sAw.fire, io.sB.fire);
}

/**
 * Stands between the node (`s`) and its memory (`m`), and exchanges 64 bits for others as one step. No access of the
 * node begins between the read and the write, and those that began before have ended. That is what a processor cannot
 * do with a load and a store while a page fault may write the same table entry.
 *
 * An exchange stalls the node's addresses, waits for the answers to its accesses under way, reads and writes. The
 * exchange ends when the write is answered. Latency: 0 for the node's accesses, write data at the earliest one cycle
 * after their address is offered. An exchange takes the time of the accesses under way and of a read and a write.
 * Initiation interval: 1; one exchange at a time, the next is taken when `exchanged` has been. Full: up to 1,023
 * accesses under way each way, more than any node has slots. Errors of the memory: after that of the read nothing is
 * written; both are told with the answer, and the node goes on. Reset: open.
 */
export const EntryExchange = module("EntryExchange", entryExchangePorts, (io, p) => {
  const entry = entryOf(io, p),
    exchanging = exchangeOf(io, entry);
  close(io, exchanging);
  const putsData = passAddresses(io, entry, exchanging),
    data = passData(io, entry, exchanging, putsData);
  passAnswers(io, exchanging);
  count(io, exchanging, data);
  io.exchanged.valid.set(exchanging.state.is("tell"));
  io.exchanged.payload.set(exchanging.exchanged);
  io.exchange.ready.set(io.exchanged.fire);
});
