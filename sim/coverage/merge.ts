/** Coverage of many processes, put together: one entry a place, whatever the parameters and instances. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SimulationError } from "../errors.ts";
import type { PointKind } from "../backend/coverage/point.ts";
import type { Line, WrittenPoint } from "../backend/coverage/record.ts";

/** A place with what was reached of it, by any model. */
export interface Reached {
  readonly kind: PointKind;
  readonly module: string;
  /** The signal and the state, the cover point's sentence, or nothing. */
  readonly what: string;
  /** From the project's folder. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly lines: readonly number[];
  /** Bits, with the parameters that gave the most. */
  readonly width: number;
  /** The bits that can be reached, with any of the parameters. */
  readonly bits: bigint;
  /** The bits that were reached; bit 0 for what has no bits. */
  readonly seen: bigint;
  /** Of a cover point: how often it held. */
  readonly count: number;
}

type Growing = { -readonly [K in keyof Reached]: Reached[K] };

/**
 * What the files of a folder say together, in the order of file and line.
 * @throws SimulationError when the folder has none, or one that no run wrote
 */
export function mergeCoverage(folder: string): Reached[] {
  const all = new Map<string, Growing>();
  for (const name of filesIn(folder)) {
    const programs = new Map<number, readonly WrittenPoint[]>();
    readFileSync(join(folder, name), "utf8")
      .split("\n")
      .forEach((text, n) => {
        if (text !== "") addLine(parsed(text, `${folder}/${name}, line ${n + 1}`), programs, all);
      });
  }
  return [...all.values()].sort(
    (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column || compare(a.what, b.what),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function filesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter(f => f.endsWith(".jsonl"));
  } catch {
    throw new SimulationError(`${folder} is no folder that can be read; give the one that MNEMO_COVERAGE named`);
  }
  if (names.length === 0)
    throw new SimulationError(
      `${folder} has no coverage; run benches with MNEMO_COVERAGE=${folder} under the built-in simulator first`,
    );
  return names.sort();
}

function parsed(text: string, where: string): Line {
  try {
    const line = JSON.parse(text) as Partial<Record<"program" | "of", unknown>>;
    if (typeof line.program === "number" || typeof line.of === "number") return line as Line;
  } catch {
    // The sentence below says it.
  }
  throw new SimulationError(`${where} is not what a run under MNEMO_COVERAGE writes; remove the file and run it again`);
}

function addLine(l: Line, programs: Map<number, readonly WrittenPoint[]>, all: Map<string, Growing>): void {
  if ("program" in l) {
    programs.set(l.program, l.points);
    for (const p of l.points) entryOf(p, all);
    return;
  }
  const points = byPlace(programs.get(l.of) ?? []);
  if ("counts" in l) {
    for (const [place, count] of l.counts)
      for (const p of points.get(place) ?? []) {
        const e = entryOf(p, all);
        e.count += count;
        e.seen = 1n;
      }
    return;
  }
  for (const [place, lane, bits] of l.words)
    for (const p of points.get(place) ?? []) {
      const e = entryOf(p, all),
        word = BigInt(bits >>> 0) << BigInt(32 * lane);
      e.seen |= p.width === 1 ? (word >> BigInt(p.lo)) & 1n : word & ((1n << BigInt(p.width)) - 1n);
    }
}

const places = new WeakMap<readonly WrittenPoint[], Map<number, WrittenPoint[]>>();
function byPlace(points: readonly WrittenPoint[]): ReadonlyMap<number, readonly WrittenPoint[]> {
  let known = places.get(points);
  if (known === undefined) {
    places.set(points, (known = new Map<number, WrittenPoint[]>()));
    for (const p of points) {
      const list = known.get(p.place);
      if (list === undefined) known.set(p.place, [p]);
      else list.push(p);
    }
  }
  return known;
}

/** Lines are of a file, whichever module a function was called for; all else is of a module. */
function entryOf(p: WrittenPoint, all: Map<string, Growing>): Growing {
  const key = [p.kind, p.kind === "line" ? "" : p.module, p.file, p.line, p.column, p.what].join("\t");
  let e = all.get(key);
  const width = p.kind === "cover" ? 1 : p.width,
    possible = ((1n << BigInt(width)) - 1n) & ~BigInt(`0x${p.never ?? "0"}`);
  if (e === undefined) {
    const { kind, module, what, file, line, column, lines } = p;
    all.set(key, (e = { kind, module, what, file, line, column, lines, width, bits: 0n, seen: 0n, count: 0 }));
  }
  e.width = Math.max(e.width, width);
  e.bits |= possible;
  return e;
}
