/** The node's counters, in one memory. */
import {
  bit,
  bitsFor,
  constant,
  mux,
  node,
  onehotMux,
  ram,
  reg,
  type UInt,
  uint,
  type Val,
  type Var,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { counterNames } from "../../../config/index.ts";
import { counterBits } from "../../../registers/index.ts";
import type { Events } from "../events.ts";

/**
 * Counters in one memory: increments gather in a small register for each counter; every cycle the next one's is added
 * to its word. The first round after reset clears the words, which read as 0 until then.
 */
export function counterSweep(events: Val<typeof Events>): { readonly indexBits: number; read(index: UInt): UInt } {
  const n = counterNames.length,
    indexBits = bitsFor(n - 1);
  // Every index names a word, those of no counter too: software may ask for any.
  const words = ram(uint(counterBits), {
    depth: 2 ** indexBits,
    collision: "old",
    style: "distributed",
    name: "counts",
  });
  const turn = reg(uint(indexBits), { init: 0 });
  const clearing = reg(bit, { init: 1 });
  const last = node(turn.eq(n - 1));
  turn.set(mux(last, constant(0, indexBits), turn.add(1)));
  when(last, () => clearing.set(0));
  const increments = counterNames.map(name => events[name]);
  // Room for the most that can come in one round; byte counts can bunch up to all slots' frames.
  const gathered = counterNames.map((name, i): Var<ReturnType<typeof uint>> => {
    const w = (increments[i] as UInt).width;
    const pending = reg(uint(w + (w > 2 ? 8 : indexBits)), { init: 0, name: `pending_${name}` });
    const grown = (increments[i] as UInt).zext(pending.width);
    pending.set(mux(turn.eq(i), grown, pending.add(grown)));
    return pending;
  });
  const widest = Math.max(...gathered.map(g => g.width));
  // One stage between choosing and adding.
  const adding = reg(bit, { init: 0 });
  const amount = reg(uint(widest));
  const base = reg(uint(counterBits));
  const place = reg(uint(indexBits));
  // The last word of the clearing round is written one cycle after its turn.
  const settling = reg(bit, { init: 1 });
  settling.set(clearing);
  adding.set(1);
  amount.set(
    onehotMux(
      gathered.map((_, i) => turn.eq(i)),
      gathered.map(g => g.zext(widest)),
    ),
  );
  base.set(mux(clearing, constant(0, counterBits), words.readAsync(turn)));
  place.set(turn);
  words.write(adding, place, base.add(amount.zext(counterBits)));
  return {
    indexBits,
    read: index => mux(clearing.or(settling), constant(0, counterBits) as UInt, words.readAsync(index)),
  };
}
