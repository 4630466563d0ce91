/** Coverage: what a known run reaches is told exactly, and what it leaves out too. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  bit,
  cover,
  enumOf,
  fsm,
  input,
  instance,
  module,
  output,
  reg,
  switchOn,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { figuresOf, lcovOf, mergeCoverage, missed, missing, type Reached, simulate } from "../../../sim/index.ts";

const Mode = enumOf("mode", { off: 0, slow: 1, fast: 2 });

const ports = (deep: boolean) => ({
  a: input(uint(2)),
  go: input(bit),
  y: output(uint(4)),
  z: output(uint<number>(deep ? 4 : 2)),
});

/** Made anew for each run: what was compiled once writes where it was told to then. */
function covered(deep = false) {
  const Inner = module(
    "Inner",
    () => ({ go: input(bit), n: output(uint(4)) }),
    io => {
      const n = reg(uint(4), { init: 0 });
      when(io.go, () => {
        n.set(n.add(1));
      }).otherwise(() => {
        n.set(0);
      });
      io.n.set(n);
    },
  );
  const Covered = module(
    "Covered",
    () => ports(deep),
    io => {
      const inner = instance(Inner());
      inner.go.set(io.go);
      io.y.set(inner.n);
      const z = reg(uint(deep ? 4 : 2), { init: 0 });
      switchOn(io.a)
        .is(1, () => z.set(1))
        .is(2, () => z.set(2))
        .otherwise(() => {
          when(io.go, () => z.set(3));
        });
      io.z.set(z);
      const mode = reg(Mode, { init: "off" });
      when(io.a.eq(3), () => mode.set("slow"));
      const phase = fsm(["Idle", "Busy", "Never"], "Idle", s => ({
        Idle: () => when(io.go, () => s.go("Busy")),
        Busy: () => when(io.a.eq(1).and(mode.eq("fast")), () => s.go("Never")),
        Never: () => s.go("Idle"),
      }));
      when(phase.is("Busy"), () => cover(io.go, "busy and going"));
      cover(io.a.eq(3), "three");
    },
  );
  return Covered();
}

let folder: string;
const before = process.env["MNEMO_COVERAGE"];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coverage-"));
  process.env["MNEMO_COVERAGE"] = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env["MNEMO_COVERAGE"];
  else process.env["MNEMO_COVERAGE"] = before;
  rmSync(folder, { recursive: true });
});

/** Inputs of one step each: `a` and `go`. */
async function run(steps: readonly (readonly [number, number])[], deep = false): Promise<Reached[]> {
  const sim = await simulate(covered(deep));
  for (const [a, go] of steps) {
    sim.io.a.value = a;
    sim.io.go.value = go;
    sim.step();
  }
  sim.free();
  return mergeCoverage(folder);
}
const notReached = (all: readonly Reached[]): string[] =>
  all.filter(missed).map(p => `${p.kind === "line" ? `line ${p.lines.join()}: ` : ""}${missing(p)}`);
const lineOf = (text: string): number =>
  readFileSync(fileURLToPath(import.meta.url), "utf8")
    .split("\n")
    .findIndex(l => l.includes(text)) + 1;

describe("coverage", () => {
  test("a run that does nothing reaches the branches of 0 alone", async () => {
    const all = await run([[0, 0]]);
    expect(all.filter(p => p.kind === "line" && !missed(p)).map(p => p.lines)).toEqual([[lineOf("n.set(0);")]]);
    expect(all.filter(p => p.kind === "state" && !missed(p)).map(p => p.what)).toEqual(["mode off", "phase Idle"]);
    expect(all.filter(p => p.kind === "cover").map(p => p.count)).toEqual([0, 0]);
  });

  test("each branch by what takes it, states and covers counted", async () => {
    const all = await run([
      [1, 0],
      [2, 1],
      [3, 1],
      [3, 1],
      [0, 0],
    ]);
    expect(notReached(all.filter(p => ["line", "state"].includes(p.kind)))).toEqual([
      "never in mode fast",
      "never in phase Never",
      `line ${lineOf('s.go("Never")')}: not run`,
      `line ${lineOf('Never: () => s.go("Idle")')}: not run`,
    ]);
    expect(all.filter(p => p.kind === "cover").map(p => [p.what, p.count])).toEqual([
      ["busy and going", 2],
      ["three", 2],
    ]);
  });

  test("toggles by bit: a counter to 5 rises in three bits, and bit 2 falls only at its end", async () => {
    const five: [number, number][] = Array.from({ length: 5 }, () => [0, 1]);
    const bits = async (steps: readonly (readonly [number, number])[]): Promise<string[]> =>
      (await run(steps)).filter(p => p.module === "Inner" && p.width === 4).map(p => `${p.kind} ${p.seen.toString(2)}`);
    expect(await bits(five)).toEqual(["rise 111", "fall 11"]);
    expect(await bits([...five, [0, 0]])).toEqual(["rise 111", "fall 111"]);
  });

  test("runs are put together, those with other parameters too", async () => {
    await run([[1, 0]]);
    const all = await run([[2, 0]], true);
    const lines = all.filter(p => p.kind === "line" && !missed(p)).map(p => p.lines[0]);
    expect(lines).toContain(lineOf(".is(1, () => z.set(1))"));
    expect(lines).toContain(lineOf(".is(2, () => z.set(2))"));
    expect(all.filter(p => p.kind === "rise" && p.what === "z_q").map(p => p.width)).toEqual([4]);
    expect(figuresOf(all).states.all).toBe(6);
  });

  test("what happens in reset counts for nothing", async () => {
    const sim = await simulate(covered(), { resetCycles: 0 });
    sim.io.go.value = 1;
    sim.reset(5);
    sim.io.go.value = 0;
    sim.step();
    sim.free();
    const run = mergeCoverage(folder).filter(p => p.kind === "line" && !missed(p));
    expect(run.map(p => p.lines)).toEqual([[lineOf("n.set(0);")]]);
  });

  test("lcov: lines and branches of each file", async () => {
    const text = lcovOf(await run([[1, 0]]));
    expect(text).toMatch(/^TN:\nSF:test\/sim\/coverage\/coverage\.test\.ts\n/);
    expect(text).toContain(`DA:${lineOf("n.set(0);")},1\n`);
    expect(text).toContain(`DA:${lineOf(".is(2, () => z.set(2))")},0\n`);
    const [, found] = /BRF:(\d+)/.exec(text) ?? [];
    expect(text.match(/^BRDA:/gm)).toHaveLength(Number(found));
  });

  test("a folder without coverage, and a file of something else", () => {
    expect(() => mergeCoverage(folder)).toThrow(/has no coverage; run benches with MNEMO_COVERAGE=/);
    expect(() => mergeCoverage(join(folder, "none"))).toThrow(/is no folder that can be read/);
    writeFileSync(join(folder, "x.jsonl"), "{}\n");
    expect(() => mergeCoverage(folder)).toThrow(/x\.jsonl, line 1 is not what a run under MNEMO_COVERAGE writes/);
  });
});
