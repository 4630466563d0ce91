import { type Bit, constant, mux, node, ram, uint, type UInt } from "../../../../hdl-dsl/index.ts";

/** A word that is written in a cycle. */
interface Write {
  readonly en: Bit;
  readonly at: UInt;
  readonly value: UInt;
}
interface Writers {
  readonly first: Write;
  readonly second: Write;
  /** 0 is written at its place, and by nobody else anything. */
  readonly clear: Omit<Write, "value">;
}

/**
 * A memory of lookup tables with two who write in a cycle, and any number who read: two memories, and a word is the XOR
 * of both. So who writes one reads the other at his place. Where both write at one place the `first` counts. What is
 * written shows in the next cycle (latency 1, initiation interval 1); nothing waits. Not reset: it is to be cleared.
 * For many who read it is a fraction of their choices among registers.
 */
export function twoWriters(name: string, depth: number, { first, second, clear }: Writers): (at: UInt) => UInt {
  const { width } = first.value,
    half = (which: string) =>
      ram(uint(width), { depth, collision: "old", style: "distributed", init: [0], name: `${name}_${which}` });
  const one = half("first"),
    other = half("second"),
    both = node(first.en.and(first.at.eq(second.at)), { name: `${name}_both` });
  const write = (to: typeof one, beside: typeof one, w: Write, en: Bit): void => {
    const value = w.value.xor(beside.readAsync(w.at));
    to.write(en.or(clear.en), mux(clear.en, clear.at, w.at), mux(clear.en, constant(0, width), value));
  };
  write(one, other, first, first.en);
  write(other, one, second, second.en.andNot(both));
  return at => one.readAsync(at).xor(other.readAsync(at));
}
