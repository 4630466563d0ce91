import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atomicResult, WordHistory, type WordOperation } from "../../../../designs/clio/model/index.ts";

const op = (kind: WordOperation["kind"], operand = 0n, swap = 0n): WordOperation => ({ kind, operand, swap });

describe("atomics on a word", () => {
  test("one after another", () => {
    const h = new WordHistory(0n),
      faa = op("faa", 3n),
      tas = op("tas"),
      read = op("read");
    h.issue(tas);
    expect(h.reply(tas, 0n)).toBe(true);
    h.issue(faa);
    expect(h.reply(faa, 1n)).toBe(true);
    h.issue(read);
    expect(h.reply(read, 4n)).toBe(true);
    expect(h.values).toEqual([4n]);
  });
  test("at the same time: either may be first, both may not", () => {
    const a = op("tas"),
      b = op("tas");
    const both = new WordHistory(0n);
    both.issue(a);
    both.issue(b);
    expect(both.reply(b, 0n)).toBe(true);
    expect(both.reply(a, 0n)).toBe(false);
    const one = new WordHistory(0n);
    one.issue(a);
    one.issue(b);
    expect([one.reply(a, 1n), one.reply(b, 0n)]).toEqual([true, true]);
  });
  test("one that was answered before another came is before it", () => {
    const h = new WordHistory(5n),
      store = op("store", 9n),
      read = op("read");
    h.issue(store);
    h.reply(store, undefined);
    h.issue(read);
    expect(h.reply(read, 5n)).toBe(false);
  });
  test("one that failed was never done", () => {
    const h = new WordHistory(0n),
      faa = op("faa", 1n),
      read = op("read");
    h.issue(faa);
    h.issue(read);
    expect(h.reply(read, 0n)).toBe(true);
    h.fail(faa);
    expect(h.values).toEqual([0n]);
  });
  test("a STORE that nobody saw may still be under way", () => {
    const h = new WordHistory(0n),
      store = op("store", 7n),
      early = op("read"),
      late = op("read");
    h.issue(store);
    h.issue(early);
    expect(h.reply(early, 0n)).toBe(true);
    h.issue(late);
    expect(h.reply(late, 7n)).toBe(true);
    const back = op("read");
    h.issue(back);
    expect(h.reply(back, 0n)).toBe(false);
  });

  interface Step {
    readonly kind: WordOperation["kind"];
    readonly operand: bigint;
    readonly swap: bigint;
    readonly from: number;
    readonly lasts: number;
    readonly at: number;
  }
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom("tas", "cas", "faa", "store", "read"),
      operand: fc.bigInt(0n, 3n),
      swap: fc.bigInt(0n, 3n),
      from: fc.nat(40),
      lasts: fc.integer({ min: 1, max: 12 }),
      at: fc.nat(11),
    }),
    { maxLength: 14 },
  ) as fc.Arbitrary<Step[]>;
  /** Each operation happens at one moment between its issue and its reply. */
  function run(list: readonly Step[], spoil: (found: bigint, n: number) => bigint): boolean {
    const h = new WordHistory(0n),
      ops = list.map(s => op(s.kind, s.operand, s.swap)),
      found: bigint[] = [];
    const events = list
      .flatMap((s, i) => [
        { time: s.from, what: 0, i },
        { time: s.from + 0.5 + (s.at % s.lasts), what: 1, i },
        { time: s.from + s.lasts + 0.7, what: 2, i },
      ])
      .sort((a, b) => a.time - b.time || a.what - b.what || a.i - b.i);
    let value = 0n,
      fine = true;
    for (const e of events) {
      const o = ops[e.i] as WordOperation;
      if (e.what === 0) h.issue(o);
      else if (e.what === 1) {
        found[e.i] = value;
        if (o.kind !== "read") value = atomicResult({ ...o, kind: o.kind }, value) ?? value;
      } else fine = h.reply(o, o.kind === "store" ? undefined : spoil(found[e.i] as bigint, e.i)) && fine;
    }
    return fine && h.values.includes(value);
  }
  test("accepts every run of a real word", () =>
    fc.assert(
      fc.property(steps, list => run(list, v => v)),
      { numRuns: 400 },
    ));
  test("sees a number that no word ever held", () => {
    fc.assert(
      fc.property(
        steps.filter(l => l.some(s => s.kind !== "store")),
        list => {
          const victim = list.findIndex(s => s.kind !== "store");
          return !run(list, (v, n) => (n === victim ? v + 1000n : v));
        },
      ),
      { numRuns: 200 },
    );
  });
});
