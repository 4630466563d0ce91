import { describe, expect, test } from "vitest";
import {
  checkLinearizable,
  type KeyInput,
  type KeyOutput,
  keySpecification,
  type Operation,
  type Specification,
  type WordInput,
  type WordOutput,
  wordSpecification,
} from "../../../../designs/clio/linearizability/index.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

type WordOperation = Operation<WordInput, WordOutput>;
type KeyOperation = Operation<KeyInput, KeyOutput>;
let client = 0;
const word = (
  called: number,
  returned: number,
  input: WordInput,
  output: bigint | undefined = 0n,
  object = "w",
): WordOperation => ({
  object,
  client: `c${client++}`,
  input,
  output: returned === Infinity ? undefined : output,
  called,
  returned,
});
const key = (called: number, returned: number, input: KeyInput, output?: KeyOutput): KeyOperation => ({
  object: "k",
  client: `c${client++}`,
  input,
  output,
  called,
  returned,
});
const faa = { kind: "faa", addend: 1n } as const,
  tas = { kind: "tas" } as const,
  read = { kind: "read" } as const;
const store = (value: bigint): WordInput => ({ kind: "store", value });
const words = (...o: readonly WordOperation[]): string => checkLinearizable(o, wordSpecification).kind;
const keys = (...o: readonly KeyOperation[]): string => checkLinearizable(o, keySpecification).kind;

describe("a word", () => {
  test.each<[string, readonly WordOperation[]]>([
    ["nothing", []],
    ["one after another", [word(0, 1, faa, 0n), word(2, 3, faa, 1n), word(4, 5, read, 2n)]],
    ["concurrent, in the other order than their calls", [word(0, 10, faa, 1n), word(1, 9, faa, 0n)]],
    [
      "a read while a store is under way sees either",
      [word(0, 10, store(5n)), word(1, 2, read, 0n), word(3, 4, read, 5n)],
    ],
    [
      "one of two TAS finds 0",
      [word(0, 10, tas, 0n), word(0, 10, tas, 1n), word(11, 12, store(0n)), word(13, 14, tas, 0n)],
    ],
    [
      "CAS",
      [
        word(0, 1, { kind: "cas", compare: 0n, swap: 7n }, 0n),
        word(2, 3, { kind: "cas", compare: 0n, swap: 9n }, 7n),
        word(4, 5, read, 7n),
      ],
    ],
    [
      "an unknown outcome that was done, long after",
      [word(0, Infinity, store(5n)), word(100, 101, read, 0n), word(200, 201, read, 5n)],
    ],
    ["an unknown outcome that was never done", [word(0, Infinity, faa), word(10, 11, faa, 0n), word(20, 21, read, 1n)]],
    [
      "modulo 2^64",
      [word(0, 1, { kind: "faa", addend: 2n ** 64n - 1n }, 0n), word(2, 3, faa, 2n ** 64n - 1n), word(4, 5, read, 0n)],
    ],
    ["objects by themselves", [word(0, 1, faa, 0n, "a"), word(2, 3, faa, 0n, "b")]],
  ])("linearizable: %s", (_what, history) => expect(words(...history)).toBe("linearizable"));

  test.each<[string, readonly WordOperation[]]>([
    ["two additions find one number", [word(0, 10, faa, 0n), word(0, 10, faa, 0n)]],
    ["an addition is lost", [word(0, 1, faa, 0n), word(2, 3, faa, 1n), word(4, 5, read, 1n)]],
    ["an addition is done twice", [word(0, 1, faa, 0n), word(2, 3, read, 2n)]],
    ["two TAS take one lock", [word(0, 10, tas, 0n), word(5, 15, tas, 0n)]],
    [
      "an old value is read after the new one was",
      [word(0, 100, store(5n)), word(1, 2, read, 5n), word(3, 4, read, 0n)],
    ],
    ["a store is undone", [word(0, 1, store(1n)), word(2, 3, store(2n)), word(4, 5, read, 1n)]],
    ["an unknown outcome explains one addition, not two", [word(0, Infinity, faa), word(10, 11, read, 2n)]],
    ["nothing is read before it is written", [word(0, 1, read, 5n), word(2, 3, store(5n))]],
    ["a CAS that failed has written", [word(0, 1, { kind: "cas", compare: 3n, swap: 9n }, 0n), word(2, 3, read, 9n)]],
  ])("not linearizable: %s", (_what, history) => expect(words(...history)).toBe("notLinearizable"));

  test("says where the longest order ends", () => {
    const verdict = checkLinearizable(
      [word(0, 1, faa, 0n), { ...word(2, 3, faa, 0n), client: "second" }],
      wordSpecification,
    );
    expect(verdict).toEqual({
      kind: "notLinearizable",
      object: "w",
      why: "with 0x1 and 1 operations left, none of these can be next: second: faa(1) = 0 from 2 to 3",
    });
  });
});

describe("a key", () => {
  test("linearizable", () => {
    expect(
      keys(
        key(0, 1, { kind: "create", value: "a" }, true),
        key(2, 3, { kind: "create", value: "b" }, false),
        key(4, 5, read, { value: "a" }),
        key(6, 7, { kind: "update", value: "b" }, true),
        key(8, 9, { kind: "delete" }, true),
        key(10, 11, read, "missing"),
        key(12, 13, { kind: "delete" }, false),
        key(14, 15, { kind: "update", value: "c" }, false),
      ),
    ).toBe("linearizable");
    expect(
      keys(
        key(0, 10, { kind: "create", value: "a" }, false),
        key(0, 10, { kind: "create", value: "b" }, true),
        key(5, 20, read, "missing"),
      ),
    ).toBe("linearizable");
    expect(
      keys(
        key(0, Infinity, { kind: "create", value: "a" }),
        key(5, 6, { kind: "create", value: "b" }, false),
        key(7, 8, read, { value: "a" }),
      ),
    ).toBe("linearizable");
  });
  test.each<[string, readonly KeyOperation[]]>([
    [
      "a key is created twice",
      [key(0, 10, { kind: "create", value: "a" }, true), key(0, 10, { kind: "create", value: "b" }, true)],
    ],
    [
      "a deleted key comes back",
      [
        key(0, 1, { kind: "create", value: "a" }, true),
        key(2, 3, { kind: "delete" }, true),
        key(4, 5, read, { value: "a" }),
      ],
    ],
    [
      "a value is torn",
      [
        key(0, 1, { kind: "create", value: "aa" }, true),
        key(2, 10, { kind: "update", value: "bb" }, true),
        key(3, 9, read, { value: "ab" }),
      ],
    ],
    [
      "a key is missing that was created",
      [key(0, 1, { kind: "create", value: "a" }, true), key(2, 3, read, "missing")],
    ],
  ])("not linearizable: %s", (_what, history) => expect(keys(...history)).toBe("notLinearizable"));
});

/**
 * By the definition: some subset of the unknown ones and all known ones, in some order that keeps to time and
 * gives the outputs.
 */
function byDefinition<S, I, O>(
  history: readonly Operation<I, O>[],
  { initial, apply }: Specification<S, I, O>,
): boolean {
  const go = (left: readonly Operation<I, O>[], state: S, now: number): boolean =>
    left.every(o => o.returned === Infinity) ||
    left.some(o => {
      if ((o.until ?? Infinity) < now || left.some(other => other !== o && other.returned < o.called)) return false;
      const after = apply(state, o.input, o.output);
      return (
        after !== undefined &&
        go(
          left.filter(x => x !== o),
          after.state,
          Math.max(now, o.called),
        )
      );
    });
  return go(history, initial, -Infinity);
}

test("agrees with the definition on 4,000 small random histories, of which many are linearizable and many are not", () => {
  const r = new Random(8),
    seen = { linearizable: 0, notLinearizable: 0, undecided: 0 };
  for (let run = 0; run < 4000; run++) {
    const history = Array.from({ length: r.between(2, 7) }, () => {
      const called = r.below(12),
        returned = r.chance(0.15) ? Infinity : called + r.between(1, 6),
        value = BigInt(r.below(3));
      const input = r.pick<WordInput>([
        read,
        faa,
        faa,
        tas,
        store(value),
        { kind: "cas", compare: value, swap: BigInt(r.below(3)) },
      ]);
      const made = word(called, returned, input, BigInt(r.below(3)));
      return returned === Infinity && r.chance(0.7) ? { ...made, until: called + r.below(6) } : made;
    });
    const { kind } = checkLinearizable(history, wordSpecification);
    seen[kind]++;
    if ((kind === "linearizable") !== byDefinition(history, wordSpecification)) {
      const shown = history
        .map(o => `${wordSpecification.describe(o.input, o.output)} from ${o.called} to ${o.returned}`)
        .join("; ");
      throw new Error(`history ${run}: ${kind}, but not by the definition: ${shown}`);
    }
  }
  expect(seen.linearizable).toBeGreaterThan(400);
  expect(seen.notLinearizable).toBeGreaterThan(400);
  expect(seen.undecided).toBe(0);
});

describe("long histories", () => {
  /** Operands that no other has: a value found identifies the operation, and the search seldom errs. */
  const unlike = (r: Random): WordInput => {
    const value = BigInt(r.below(2 ** 31)) << 8n;
    return r.pick<WordInput>([
      { kind: "faa", addend: value },
      { kind: "faa", addend: value },
      tas,
      store(r.chance(0.5) ? 0n : value),
      { kind: "cas", compare: 0n, swap: value },
    ]);
  };
  /** Eight clients on one word, each call at its own moment between call and return; some lose their answers. */
  function long(seed: number, count: number, lost = 0.01): WordOperation[] {
    const r = new Random(seed),
      out: WordOperation[] = [];
    const moments: { at: number; input: WordInput; called: number; returned: number; client: string }[] = [];
    for (let c = 0; c < 8; c++) {
      for (let i = 0, now = r.fraction() * 10; i < count / 8; i++) {
        const called = now,
          at = called + r.fraction() * 5,
          returned = at + r.fraction() * 5;
        moments.push({ at, called, returned: r.chance(lost) ? Infinity : returned, client: `c${c}`, input: unlike(r) });
        now = returned + r.fraction();
      }
    }
    let state = 0n;
    for (const m of moments.sort((a, b) => a.at - b.at)) {
      // Half of those without an answer were never done.
      if (m.returned === Infinity && r.chance(0.5)) {
        out.push({ object: "w", ...m, output: undefined });
        continue;
      }
      out.push({
        object: "w",
        ...m,
        output: m.returned === Infinity ? undefined : m.input.kind === "store" ? 0n : state,
      });
      state = wordSpecification.apply(state, m.input, undefined)?.state ?? state;
    }
    return out;
  }
  test("10,000 operations are judged in few steps; one wrong number among them is found", () => {
    const history = long(4, 10_000, 0.001),
      verdict = checkLinearizable(history, wordSpecification);
    expect(verdict).toMatchObject({ kind: "linearizable", operations: 10_000 });
    if (verdict.kind === "linearizable") expect(verdict.steps).toBeLessThan(2_000_000);
    const certain = long(4, 10_000, 0),
      at = certain.findIndex((o, i) => i > 5000 && o.input.kind === "faa");
    expect(checkLinearizable(certain, wordSpecification).kind).toBe("linearizable");
    const wrong = certain.map((o, i) => (i === at ? { ...o, output: 2n ** 40n } : o));
    expect(checkLinearizable(wrong, wordSpecification).kind).toBe("notLinearizable");
  });
  test("where what was lost is over after a time, 40,000 operations with 1 in 50 lost are judged in a few steps each; without that bound 10,000 are too many", () => {
    const history = long(6, 40_000, 0.02).map(o => (o.returned === Infinity ? { ...o, until: o.called + 10 } : o)),
      verdict = checkLinearizable(history, wordSpecification);
    expect(verdict.kind).toBe("linearizable");
    if (verdict.kind === "linearizable") expect(verdict.steps).toBeLessThan(40 * history.length);
    expect(checkLinearizable(long(6, 10_000, 0.02), wordSpecification, { steps: 400_000 }).kind).toBe("undecided");
    const late = history.findIndex(
      (o, i) => i > 20_000 && o.returned !== Infinity && o.input.kind === "faa" && o.input.addend !== 0n,
    );
    expect(
      checkLinearizable(
        history.map((o, i) => (i === late ? { ...o, output: 2n ** 40n } : o)),
        wordSpecification,
      ).kind,
    ).toBe("notLinearizable");
  });
  test("a search that grows too long is given up, and says so", () => {
    expect(checkLinearizable(long(5, 800), wordSpecification, { steps: 100 })).toEqual({
      kind: "undecided",
      object: "w",
      steps: 101,
    });
  });
});
