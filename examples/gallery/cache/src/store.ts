/** The cache's memories: a record for each set, and the words of each way. What is asked for is there a cycle later. */
import { type Bit, cat, constant, mux, onehotMux, ram, repeat, toBits, uint, type UInt, type Val } from "mnemosyne";
import { type CacheParameters, recordOf } from "./geometry.ts";

type Record = Val<ReturnType<typeof recordOf>>;
export type Line = ReturnType<Record["lines"]["toArray"]>[number];
export interface RecordUpdate {
  readonly lines: readonly Line[];
  readonly order: UInt;
}

/** A record whose lines are others. */
export const withLines = (r: Record, change: (line: Line, way: number) => Line): RecordUpdate => ({
  lines: r.lines.toArray().map(change),
  order: r.order,
});

interface Access {
  /** A look begins, at this set and word. */
  readonly looks: Bit;
  readonly set: UInt;
  readonly word: UInt;
  readonly record: { readonly writes: Bit; readonly set: UInt; readonly value: RecordUpdate };
  /** A word of memory, for the ways that are marked. */
  readonly fill: { readonly ways: UInt; readonly set: UInt; readonly word: UInt; readonly data: UInt };
  /** Bytes of the processor, for the ways that are marked. */
  readonly store: {
    readonly ways: UInt;
    readonly set: UInt;
    readonly word: UInt;
    readonly data: UInt;
    readonly strobe: UInt;
  };
}

/** The words of the way that `select` marks. */
export type Chosen = (select: UInt) => UInt;

export const recordStore = (p: CacheParameters, a: Pick<Access, "looks" | "set" | "record">): Record => {
  const records = ram(recordOf(p), { depth: p.sets, collision: "undefined", style: "block" });
  records.write(a.record.writes, a.record.set, a.record.value);
  return records.readSync(a.set, { en: a.looks });
};

export function wordStore(p: CacheParameters, a: Omit<Access, "record">): Chosen {
  const all = repeat(constant(1, 1), p.wordBytes);
  const ways = Array.from({ length: p.ways }, (_, way) => {
    const words = ram(uint(8 * p.wordBytes), {
      ...{ depth: p.sets * p.lineWords, collision: "undefined", style: "block", name: `way${way}` },
    });
    const fills = a.fill.ways.bit(way);
    words.write(
      fills.or(a.store.ways.bit(way)),
      mux(fills, cat(a.fill.set, a.fill.word), cat(a.store.set, a.store.word)),
      mux(fills, a.fill.data, a.store.data),
      mux(fills, all, a.store.strobe),
    );
    return words.readSync(cat(a.set, a.word), { en: a.looks });
  });
  return select => onehotMux(toBits(select), ways);
}
