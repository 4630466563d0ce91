import { OperationError, type Thread } from "../../../../designs/clio/client/index.ts";
import { SharedBytes } from "../../../../designs/clio/end-to-end/index.ts";
import {
  checkLinearizable,
  History,
  type WordInput,
  type WordOutput,
  wordSpecification,
} from "../../../../designs/clio/linearizability/index.ts";
import type { SimulatedTime } from "../../../../sim/index.ts";
import { insist, pageBytes } from "./rig.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

/** What traffic needs of a process: its own threads, or those of what stands before it. */
export interface TrafficProcess {
  thread(): Pick<Thread, "rread" | "rwrite" | "fetchAndAdd">;
}
export interface TrafficOptions {
  readonly time: SimulatedTime;
  readonly seed: number;
  readonly processes: readonly TrafficProcess[];
  readonly va: bigint;
  readonly pages: number;
}
export interface TrafficResult {
  readonly reads: number;
  readonly writes: number;
  readonly atomics: number;
  readonly failed: number;
  readonly judgedBytes: number;
  readonly problems: readonly string[];
  /**
   * The longest that a read, and a write or atomic, took of those that a migration fell into, ns; and how
   * many that were.
   */
  readonly longestReadNs: number;
  readonly longestWriteNs: number;
  readonly readsDuring: number;
  readonly writesDuring: number;
}

/** Whether an error leaves open what was done; any other kind is the test's. */
function unknown(e: unknown): boolean {
  if (e instanceof OperationError) return e.outcome === "unknown";
  throw e;
}

/**
 * Reads and writes of overlapping bytes, over page ends too, and additions to a few words. A thread of each process
 * runs them until `until` settles; then everything runs once more. Every byte that is read is judged by the writes that
 * it can come from, words by linearizability.
 */
export async function traffic(
  { time, seed, processes, va, pages }: TrafficOptions,
  until: Promise<unknown>,
  migrations: { readonly moving: boolean; readonly begun: number } = { moving: false, begun: 0 },
): Promise<TrafficResult> {
  const now = (): number => time.now(),
    bytes = new SharedBytes(now),
    words = new History<WordInput, WordOutput>(now),
    counted = { reads: 0, writes: 0, atomics: 0, failed: 0, readsDuring: 0, writesDuring: 0 };
  let over = false,
    added = 0,
    longestReadNs = 0,
    longestWriteNs = 0;
  void until
    .finally(() => {
      over = true;
    })
    .catch(() => undefined);
  const pause = (ns: number): Promise<void> =>
    new Promise(resolve => {
      time.after(ns, resolve);
    });
  // The last page holds the words.
  const wordAt = (w: number): bigint => va + BigInt((pages - 1) * pageBytes + 64 * w);
  const add = (t: ReturnType<TrafficProcess["thread"]>, who: string, w: number, addend: bigint): Promise<unknown> =>
    words.record(
      `word ${w}`,
      who,
      { kind: "faa", addend },
      () => t.fetchAndAdd(wordAt(w), addend),
      found => found,
      unknown,
    );
  const one = async (t: ReturnType<TrafficProcess["thread"]>, r: Random, who: string): Promise<void> => {
    const length = r.chance(0.7) ? r.between(1, 64) : r.between(1, 2000),
      at = r.chance(0.2)
        ? r.between(1, pages - 2) * pageBytes - r.between(1, Math.min(length, 60))
        : r.below(pages - 1) * pageBytes + r.below(512);
    const start = Math.max(0, Math.min(at, (pages - 1) * pageBytes - length)),
      choice = r.fraction(),
      from = now(),
      inside = migrations.moving,
      { begun } = migrations;
    const met = (): boolean => inside || migrations.moving || migrations.begun !== begun;
    if (choice < 0.4) {
      counted.writes++;
      const data = r.bytes(length);
      await bytes.write(
        start,
        data,
        () => t.rwrite(va + BigInt(start), data),
        unknown,
        () => pause(80_000),
      );
    } else if (choice < 0.85) {
      counted.reads++;
      await bytes.read(who, start, () => t.rread(va + BigInt(start), length));
      if (met()) {
        counted.readsDuring++;
        longestReadNs = Math.max(longestReadNs, now() - from);
      }
      return;
    } else {
      counted.atomics++;
      await add(t, who, r.below(4), BigInt(++added) << 16n);
    }
    if (met()) {
      counted.writesDuring++;
      longestWriteNs = Math.max(longestWriteNs, now() - from);
    }
  };
  await Promise.all(
    processes.map(async (p, k) => {
      const t = p.thread(),
        r = new Random(seed * 100 + k);
      for (let i = 0; !over || i < 20; i++) {
        try {
          await one(t, r, `client ${k}`);
        } catch (e) {
          if (!(e instanceof OperationError)) throw e;
          counted.failed++;
        }
      }
    }),
  );
  const t = processes[0]!.thread();
  for (let p = 0; p < pages - 1; p++)
    await insist(() => bytes.read("at the end", p * pageBytes, () => t.rread(va + BigInt(p * pageBytes), pageBytes)));
  for (let w = 0; w < 4; w++) await insist(() => add(t, "at the end", w, 0n));
  const verdict = checkLinearizable(words.operations, wordSpecification);
  return {
    ...counted,
    longestReadNs,
    longestWriteNs,
    judgedBytes: bytes.checked,
    problems: [
      ...bytes.problems,
      ...(verdict.kind === "linearizable"
        ? []
        : [`words: ${verdict.kind === "notLinearizable" ? verdict.why : "undecided"}`]),
    ],
  };
}
