import {
  bitsFor,
  constant,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  repeat,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { steppedEvents } from "./gathered.ts";

export interface CountersParameters {
  /** What each counter may rise by in a cycle, as bits of a number: 1 for events. */
  readonly bits: readonly number[];
}
/** Bits of a count; it wraps. */
export const counterBits = 48;

const indexBits = (p: CountersParameters): number => Math.max(1, bitsFor(p.bits.length - 1));

/**
 * Counts of many events in one memory. Increments gather in small registers, one for each counter, which are added to
 * the memory one after another. A register of single events is a shift register that goes on by one of its states.
 * `value` is the count of `index`, a cycle later, and shows an event after at most as many cycles as there are
 * counters, and 4. Nothing waits, nothing is lost: a register holds the most that can come in a round. Reset: all
 * counts are 0, after a cycle for each.
 */
export const Counters = module(
  "Counters",
  (p: CountersParameters) => ({
    increments: input(vec(uint(Math.max(...p.bits)), p.bits.length)),
    index: input(uint(indexBits(p))),
    value: output(uint(counterBits)),
  }),
  (io, p) => {
    // A sum is written two cycles after its count was read: so long a turn has to be, with one counter too.
    const n = Math.max(2, p.bits.length),
      bits = indexBits(p);
    // Every index names a word, those of no counter too: software may ask for any.
    const counts = ram(uint(counterBits), { depth: 2 ** bits, collision: "old", style: "distributed" });
    // What single events have led to is looked up a cycle before their turn.
    const ahead = reg(uint(bits), { init: 0, name: "next_turn" }),
      turn = reg(uint(bits), { init: 0, name: "turn" }),
      clearing = reg(uint(1), { init: 1, name: "clearing" }),
      settling = reg(uint(1), { init: 1, name: "settling" }),
      last = node(turn.eq(n - 1), { name: "is_last" });
    ahead.set(mux(ahead.eq(n - 1), constant(0, bits), ahead.add(1)));
    turn.set(ahead);
    when(last, () => clearing.set(0));
    settling.set(clearing);
    // Several at once are added up until their turn.
    const gathered = p.bits.flatMap((width, i) => {
      if (width === 1) return [];
      // The most that comes in a round.
      const most = bitsFor(n * (2 ** width - 1)),
        pending = reg(uint(most), { init: 0, name: `pending_${i}` }),
        more = io.increments.at(i).resize(most);
      pending.set(mux(turn.eq(i), more, pending.add(more)));
      return [{ i, pending }];
    });
    const single = steppedEvents(
      p.bits.map((width, i) => (width === 1 ? io.increments.at(i).bit(0) : undefined)),
      { round: n, turn, ahead, clearing },
    );
    const widest = Math.max(single.width, ...gathered.map(g => g.pending.width));
    // One stage between choosing and adding.
    const adding = reg(uint(1), { init: 0, name: "adding" }),
      amount = reg(uint(widest), { name: "amount" }),
      base = reg(uint(counterBits), { name: "base" }),
      place = reg(uint(bits), { name: "place" });
    adding.set(1);
    const several = gathered.map(({ i, pending }) => pending.zext(widest).and(repeat(turn.eq(i), widest)));
    amount.set(several.reduce((a, b) => a.or(b), single.zext(widest)));
    base.set(mux(clearing, constant(0, counterBits), counts.readAsync(turn)));
    place.set(turn);
    counts.write(adding, place, base.add(amount.zext(counterBits)));
    const value = reg(uint(counterBits), { name: "value_q" });
    value.set(mux(clearing.or(settling), constant(0, counterBits), counts.readAsync(io.index)));
    io.value.set(value);
  },
  { nameOf: p => `Counters_n${p.bits.length}_w${p.bits.reduce((a, b) => a + b, 0)}` },
);
