/** Frames of DAGs that wait, in the board's memory. Page: docs/supernic/spill.md. */
import {
  bit,
  type Bit,
  constant,
  module,
  mux,
  node,
  orTree,
  reg,
  toBits,
  uint,
  type UInt,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { closingOf } from "./closing.ts";
import { divert } from "./divert.ts";
import { offer } from "./offer.ts";
import { spillPorts } from "./ports.ts";
import { readRecords } from "./reader.ts";
import { burstBeats, type SpillCounts } from "./records.ts";
import { ringsOf } from "./rings.ts";
import { type Bandwidth, countQueued, writeRecords } from "./writer.ts";

/** Cycles that may be saved up, of which each two are worth a beat. */
const mostSaved = 4 * burstBeats;
/** Bits of a beat's cost in cycles. */
const savedBits = Math.log2(mostSaved) + 1;

/**
 * Half of the memory's beats, for both ways together: a beat in two cycles. When both want, three bursts of four come
 * out, so that a ring gets empty whatever comes.
 */
function share(may: { readonly read: Bit; readonly write: Bit }, read: Bandwidth, write: Bandwidth): void {
  const saved = reg(uint(savedBits), { init: 0, name: "cycles_saved" }),
    turn = reg(uint(2), { init: 0, name: "bus_turn" });
  const cost = (len: UInt): UInt =>
      len
        .zext(savedBits - 1)
        .shl(1)
        .resize(savedBits),
    has = (b: Bandwidth): Bit => b.wants.and(saved.ge(cost(b.len))),
    writesFirst = node(read.wants.not().or(turn.all()), { name: "writes_first" }),
    writes = node(has(write).and(writesFirst.or(write.wants.andNot(read.wants))), { name: "may_write" }),
    reads = node(has(read).andNot(write.wants.and(writesFirst)), { name: "may_read" });
  (may.read as ReturnType<typeof wire<typeof bit>>).set(reads);
  (may.write as ReturnType<typeof wire<typeof bit>>).set(writes);
  const left = node(saved.sub(mux(writes, cost(write.len), mux(reads, cost(read.len), constant(0, savedBits)))), {
    name: "cycles_left",
  });
  saved.set(mux(left.eq(mostSaved), left, left.add(1)));
  turn.set(turn.add(reads.or(writes).zext(2)));
}

/**
 * Frames of DAGs that wait for a region go to rings in the board's memory, so that nobody waits behind them (paper
 * §5.4.3; docs/supernic/spill.md). It stands between class queues and merge. Software gives a ring to a DAG; when the
 * DAG goes on, the ring's frames leave first, in their order, and the gate opens behind the last one.
 *
 * Latency: a head without a ring is shown in its cycle. A frame is taken 4 cycles after its head is seen. From `drain`
 * to the merge it is 16 cycles, those of its beats, and the memory's. Interval: a frame's beats and 4 cycles in, and 8
 * out; and half of the memory's beats for both together. Full: the head waits in its class queue. Reset: all rings are
 * free and empty, so the bus must be reset, too.
 */
export const Spill = module(
  "Spill",
  spillPorts,
  (io, p) => {
    const rings = ringsOf(io, p),
      closing = closingOf(p, rings),
      offers = offer(io, p, rings, closing.ring),
      at = offers.hits.map((hits, i) => ({ hits, pending: offers.pending[i] as Bit })),
      diverts = divert(io, p, rings, closing.ring, at);
    const may = { read: wire(bit, { name: "read_may" }), write: wire(bit, { name: "write_may" }) };
    const writer = writeRecords(
        p,
        rings,
        diverts.records,
        diverts.beats,
        diverts.comes,
        { aw: io.mAw, w: io.mW, b: io.mB },
        may.write,
      ),
      reader = readRecords(p, rings, closing.ring, { ar: io.mAr, r: io.mR }, may.read);
    share(may, reader, writer);
    countQueued(rings, diverts.taken, writer.done);
    const { ring, place, en } = offers.read;
    offers.give(reader.word(ring, place, en), diverts.toMerge, diverts.beatIsMerges);
    rings.forEach((r, j) => {
      const bits = r.whole.width;
      r.whole.set(r.whole.add(reader.whole.bit(j).zext(bits)).sub(offers.hit.bit(j).zext(bits)));
    });
    const { discarded } = closing.close({ divert: diverts.busy, offer: offers.busy, read: reader.busy }, io.opens);

    const count = (name: keyof typeof SpillCounts.fields, more: UInt): void => {
      const q = reg(uint(32), { init: 0, name: `count_${name}` }),
        event = reg(uint(more.width), { init: 0, name: `event_${name}` });
      event.set(more);
      q.set(q.add(event.resize(32)));
      io.counts[name].set(q);
    };
    count("spilled", orTree(toBits(diverts.taken)));
    count("restored", orTree(toBits(offers.hit)));
    count("lost", reader.lost);
    count("discarded", discarded);
    count("fullCycles", diverts.waits);
  },
  {
    nameOf: p => `Spill_p${p.ports}_u${p.users}_f${p.frameBytes}_n${p.rings}_b${p.ringBytes}_m${p.memoryBytes}`,
  },
);
