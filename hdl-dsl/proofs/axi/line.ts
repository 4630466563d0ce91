/** What is under way on a bus, in the order of its coming: the memory of the rules. */
import { bit, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { mux } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { orTree } from "../../vectors/index.ts";

interface Entry {
  readonly there: Bit;
  readonly value: UInt;
}
/** Changes of one cycle. */
export interface LineStep {
  /** A new last entry. */
  readonly push: Bit;
  readonly value: UInt;
  /** The entry concerned, one bit for each place, at most one of them set; `drop`: it goes, else it is `changed`. */
  readonly at: readonly Bit[];
  readonly drop: Bit;
  readonly changed?: UInt;
}
export interface Line {
  readonly entries: readonly Entry[];
  readonly any: Bit;
  readonly full: Bit;
  /** The places that have what is looked for, the oldest of them alone. */
  oldest(wanted: (value: UInt) => Bit): readonly Bit[];
  /** Said once: what happens in a cycle. */
  step(s: LineStep): void;
}

/** A line of at most `depth` entries of `width` bits. */
export function line(name: string, depth: number, width: number): Line {
  const there = Array.from({ length: depth }, (_, i) => reg(bit, { init: 0, name: `${name}_there_${i}` })),
    values = Array.from({ length: depth }, (_, i) => reg(uint<number>(width), { name: `${name}_${i}` }));
  const entries = there.map((t, i): Entry => ({ there: t, value: values[i] as UInt }));
  const none = constant(0, 1);
  return {
    entries,
    any: entries[0]?.there ?? none,
    full: entries.at(-1)?.there ?? none,
    oldest: wanted => {
      const has = entries.map((e, i) => node(e.there.and(wanted(e.value)), { name: `${name}_has_${i}` }));
      return has.map((h, i) => h.and(orTree([none, ...has.slice(0, i)]).not()));
    },
    step: s => {
      const left = entries.map((e, i): Entry => {
        const gone = orTree(s.at.slice(0, i + 1)).and(s.drop),
          above = entries[i + 1] ?? { there: none, value: e.value };
        const kept = s.changed === undefined ? e.value : mux(s.at[i] as Bit, s.changed, e.value);
        return {
          there: node(mux(gone, above.there, e.there), { name: `${name}_stays_${i}` }),
          value: mux(gone, above.value, kept),
        };
      });
      left.forEach((e, i) => {
        const here = s.push.and(e.there.not()).and(left[i - 1]?.there ?? constant(1, 1));
        there[i]?.set(e.there.or(here));
        values[i]?.set(mux(here, s.value, e.value));
      });
    },
  };
}
