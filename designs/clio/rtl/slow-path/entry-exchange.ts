import {
  assertAlways, axi4Master, axi4Slave, bit, cat, constant, fsm, module, mux, node, reg, repeat, sink, source, uint, unpack, vec, when, type Axi4Parameters, type Bit, type UInt,
} from "../../../../hdl-dsl/index.ts";
import { Exchange } from "./soc-port.ts";

const counterBits = 10;

/**
 * Stands between the node (`s`) and its memory (`m`) and puts 64 bits in place of others as one step: no access of the node begins between the read and the
 * write, and those that began before have ended. That is what a processor cannot do with a load and a store while a page fault may write the same table entry.
 *
 * An exchange holds the node's addresses back, waits until its accesses under way have been answered, reads, writes, and lets go when the write is answered.
 * Latency: 0 for the node's accesses, write data at the earliest one cycle behind their address; an exchange takes the time of the accesses under way and of a read and a write. Initiation interval: 1; one exchange at a
 * time, the next is taken when `exchanged` has been. Full: up to 1,023 accesses under way each way, more than any node has slots. An error of the memory reads
 * as what it gave. Reset: open.
 */
export const EntryExchange = module("EntryExchange",
  (p: Axi4Parameters) => ({ ...axi4Slave("s", p), ...axi4Master("m", p), exchange: sink(Exchange(p.addressBits)), exchanged: source(uint(64)) }),
  (io, p) => {
    const words = p.beatBytes / 8, wordBits = Math.log2(words), size = Math.log2(p.beatBytes);
    const { address, bits } = io.exchange.payload;
    const lane: UInt = wordBits === 0 ? constant(0, 1) : address.bits(3, wordBits);
    const aligned = cat(address.bits(size, p.addressBits - size), constant(0, size));

    const reads = reg(uint(counterBits), { init: 0 });
    const writes = reg(uint(counterBits), { init: 0 });
    // Closed to the node, each for itself: never while one of its addresses waits to be taken, which would withdraw it.
    const ar_closed = reg(bit, { init: 0 });
    const aw_closed = reg(bit, { init: 0 });
    const w_done = reg(bit, { init: 0 });
    const aw_done = reg(bit, { init: 0 });
    const old = reg(uint(64));
    const state = fsm(["open", "drain", "ask", "read", "put", "answer", "tell"], "open", m => ({
      open: () => { when(io.exchange.valid, () => { m.go("drain"); }); },
      drain: () => { when(ar_closed.and(aw_closed).and(reads.eq(0)).and(writes.eq(0)), () => { m.go("ask"); }); },
      ask: () => { when(io.m_ar.ready, () => { m.go("read"); }); },
      read: () => {
        when(io.m_r.valid, () => {
          old.set(unpack(vec(uint(64), words), io.m_r.payload.data).at(lane));
          aw_done.set(0);
          w_done.set(0);
          m.go("put");
        });
      },
      put: () => {
        when(io.m_aw.ready, () => { aw_done.set(1); });
        when(io.m_w.ready, () => { w_done.set(1); });
        when(aw_done.or(io.m_aw.ready).and(w_done.or(io.m_w.ready)), () => { m.go("answer"); });
      },
      answer: () => { when(io.m_b.valid, () => { m.go("tell"); }); },
      tell: () => { when(io.exchanged.ready, () => { m.go("open"); }); },
    }));
    const closing = node(state.is("drain"));
    const ours = { ask: node(state.is("ask")), read: node(state.is("read")), put: node(state.is("put")), answer: node(state.is("answer")) };
    for (const [closed, channel] of [[ar_closed, io.s_ar], [aw_closed, io.s_aw]] as const) {
      when(state.is("open"), () => { closed.set(0); })
        .elseWhen(closing.and(channel.valid.not().or(channel.ready)), () => { closed.set(1); });
    }

    io.m_ar.valid.set(io.s_ar.valid.and(ar_closed.not()).or(ours.ask));
    io.m_ar.payload.set(mux(ours.ask, { addr: aligned, id: constant(0, p.idBits), len: constant(0, 8), size: constant(size, 3), burst: constant(1, 2) }, io.s_ar.payload));
    io.s_ar.ready.set(io.m_ar.ready.and(ar_closed.not()));
    const putsAddress = node(ours.put.and(aw_done.not())), putsData = node(ours.put.and(w_done.not()));
    io.m_aw.valid.set(io.s_aw.valid.and(aw_closed.not()).or(putsAddress));
    io.m_aw.payload.set(mux(putsAddress, { addr: aligned, id: constant(0, p.idBits), len: constant(0, 8), size: constant(size, 3), burst: constant(1, 2) }, io.s_aw.payload));
    io.s_aw.ready.set(io.m_aw.ready.and(aw_closed.not()));
    // Data of the node pass behind their address only: none can wait at the memory when the exchange's own come.
    const owed = reg(uint(counterBits), { init: 0 });
    const w_open = node(owed.any());
    const strobes = wordBits === 0 ? constant(255, 8) : cat(...Array.from({ length: words }, (_, i) => repeat(lane.eq(i), 8)).reverse());
    io.m_w.valid.set(mux(ours.put, putsData, io.s_w.valid.and(w_open)));
    io.m_w.payload.set(mux(ours.put, { data: repeat(bits, words), strb: strobes, last: constant(1, 1) }, io.s_w.payload));
    io.s_w.ready.set(io.m_w.ready.and(w_open));
    io.s_r.valid.set(io.m_r.valid.and(ours.read.not()));
    io.s_r.payload.set(io.m_r.payload);
    io.m_r.ready.set(ours.read.or(io.s_r.ready));
    io.s_b.valid.set(io.m_b.valid.and(ours.answer.not()));
    io.s_b.payload.set(io.m_b.payload);
    io.m_b.ready.set(ours.answer.or(io.s_b.ready));

    const counted = (count: typeof reads, begins: Bit, ends: Bit): void => {
      when(begins.and(ends.not()), () => { count.set(count.add(1)); }).elseWhen(ends.and(begins.not()), () => { count.set(count.sub(1)); });
      assertAlways(begins.and(count.all()).not(), "no more accesses are under way than are counted");
    };
    counted(reads, io.s_ar.fire, io.s_r.fire.and(io.s_r.payload.last));
    counted(owed, io.s_aw.fire, io.s_w.fire.and(io.s_w.payload.last));
    counted(writes, io.s_aw.fire, io.s_b.fire);
    io.exchanged.valid.set(state.is("tell"));
    io.exchanged.payload.set(old);
    io.exchange.ready.set(io.exchanged.fire);
  });
