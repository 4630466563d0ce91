import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { InterruptController } from "../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const dut = (sources: number, priorityBits: number) => InterruptController({ sources, priorityBits });
type Ports = ReturnType<typeof dut>["ports"];

interface Settings {
  edges: number;
  enable: number;
  threshold: number;
  readonly priorities: number[];
}
const has = (set: number, i: number): boolean => Math.floor(set / 2 ** i) % 2 === 1;

/**
 * The sources as the comment tells them, and the choice made in one step. Its result of `priorityBits` cycles ago is
 * what shows.
 */
class Model {
  readonly #n: number;
  readonly #bits: number;
  readonly #was: boolean[];
  readonly pending: boolean[];
  readonly serving: boolean[];
  #waited = 0;
  #choices: { readonly set: readonly number[]; readonly priority: number }[] = [];
  irq = false;
  best = 0;
  constructor(sources: number, priorityBits: number) {
    this.#n = sources;
    this.#bits = priorityBits;
    const none = (): boolean[] => Array.from({ length: sources }, () => false);
    this.#was = none();
    this.pending = none();
    this.serving = none();
    this.#choices = Array.from({ length: priorityBits }, () => ({ set: [], priority: 0 }));
  }
  cycle(s: Settings, lines: number, claim: boolean, complete: number | undefined): void {
    const taken = claim && this.irq ? this.best : undefined;
    const shown = this.#choices.shift() as { readonly set: readonly number[]; readonly priority: number };
    const asking = Array.from({ length: this.#n }, (_, i) => i).filter(
      i => this.pending[i]! && !this.serving[i]! && has(s.enable, i),
    );
    const priority = Math.max(0, ...asking.map(i => s.priorities[i] as number));
    this.#choices.push({ set: asking.filter(i => s.priorities[i] === priority), priority });
    for (let i = 0; i < this.#n; i++) {
      const line = has(lines, i),
        asks = line && (has(s.edges, i) ? !this.#was[i]! : !this.serving[i]! && taken !== i);
      this.pending[i] = (this.pending[i]! && taken !== i) || asks;
      this.serving[i] = (this.serving[i]! && complete !== i) || taken === i;
      this.#was[i] = line;
    }
    const settled = this.#waited === 0 && taken === undefined;
    this.#waited = taken !== undefined ? this.#bits : Math.max(0, this.#waited - 1);
    this.irq = settled && shown.set.length > 0 && shown.priority > s.threshold;
    this.best = shown.set[0] ?? 0;
  }
}

/** Random lines, claims and completions, settings that change; every output in every cycle. */
async function random(b: Bench<Ports>, sources: number, priorityBits: number, cycles = 4000): Promise<void> {
  const r = b.random,
    { io } = b,
    top = 2 ** priorityBits - 1;
  let model = new Model(sources, priorityBits),
    claims = 0,
    wrongClaims = 0,
    twice = 0,
    quiet = 0;
  const s: Settings = {
    edges: Number(r.bits(sources)),
    enable: 2 ** sources - 1,
    threshold: 0,
    priorities: Array.from({ length: sources }, () => r.between(0, top)),
  };
  let lines = 0;
  const served: number[] = [];
  for (let n = 0; n < cycles; n++) {
    if (n % 1501 === 1500) {
      b.sim.reset(1);
      model = new Model(sources, priorityBits);
      served.length = 0;
    }
    const busy = n % 400 < 200;
    for (let i = 0; i < sources; i++) if (r.chance(busy ? 0.2 : 0.005)) lines += has(lines, i) ? -(2 ** i) : 2 ** i;
    if (r.chance(s.enable === 0 ? 0.2 : 0.01)) s.enable = r.chance(0.5) ? 2 ** sources - 1 : Number(r.bits(sources));
    if (r.chance(0.01)) s.threshold = r.chance(0.5) ? 0 : r.between(0, top);
    // Priorities change while nothing has been enabled for long enough.
    if (quiet > 0 && --quiet === 0) s.priorities.forEach((_, i) => (s.priorities[i] = r.between(0, top)));
    else if (quiet > 0) s.enable = 0;
    else if (r.chance(0.01)) quiet = priorityBits + 3;
    if (r.chance(0.003)) s.edges = Number(r.bits(sources));
    const claim = r.chance(busy ? 0.5 : 0.1),
      complete = served.length > 0 && r.chance(0.15) ? served[r.between(0, served.length - 1)] : undefined;
    io.lines.value = lines;
    io.edges.value = s.edges;
    io.enable.value = s.enable;
    io.threshold.value = s.threshold;
    s.priorities.forEach((v, i) => (io.priorities[i]!.value = v));
    io.claim.value = Number(claim);
    io.complete.valid.value = complete === undefined ? 0 : 1;
    io.complete.source.value = complete ?? r.between(0, sources - 1);
    await b.risingEdge();
    expect({ n, irq: io.irq.value }).toEqual({ n, irq: Number(model.irq) });
    if (model.irq) expect({ n, best: io.best.value }).toEqual({ n, best: model.best });
    if (complete !== undefined) served.splice(served.indexOf(complete), 1);
    if (claim && model.irq) {
      claims++;
      if (model.serving[model.best]!) twice++;
      if (!served.includes(model.best)) served.push(model.best);
    } else if (claim) wrongClaims++;
    model.cycle(s, lines, claim, complete);
  }
  expect(claims).toBeGreaterThan(cycles / 80);
  expect(wrongClaims).toBeGreaterThan(20);
  expect(twice).toBe(0);
  // All is completed, all lines are low: all asking ends, and nothing stays.
  s.enable = 2 ** sources - 1;
  s.threshold = 0;
  s.priorities.fill(1);
  io.enable.value = s.enable;
  io.threshold.value = 0;
  s.priorities.forEach((_, i) => (io.priorities[i]!.value = 1));
  io.lines.value = 0;
  for (let n = 0; n < 20 * sources; n++) {
    const done = served.shift();
    io.complete.valid.value = done === undefined ? 0 : 1;
    io.complete.source.value = done ?? 0;
    io.claim.value = 1;
    await b.risingEdge();
    if (io.irq.value === 1) served.push(io.best.num);
  }
  expect(io.irq.value).toBe(0);
  expect(served).toEqual([]);
}

describe("InterruptController", () => {
  for (const [sources, bits] of [
    [5, 2],
    [32, 3],
    [2, 1],
  ] as const)
    bench(`${sources} sources, ${bits} bits of priority: every cycle as the model says`, dut(sources, bits), {}, b =>
      random(b, sources, bits, sources === 32 ? 2500 : 5000),
    );

  bench("latency from a line, and from a claim to the next", dut(8, 3), {}, async b => {
    const { io } = b;
    io.enable.value = 255;
    io.priorities.forEach(v => (v.value = 2));
    io.lines.value = 0;
    await b.cycles(10);
    io.lines.value = 0b110;
    io.claim.value = 0;
    const rise = b.cycle;
    await b.until(() => io.irq.value === 1);
    expect(b.cycle - rise).toBe(3 + 2 + 1);
    expect(io.best.num).toBe(1);
    io.claim.value = 1;
    await b.risingEdge();
    io.claim.value = 0;
    const claimed = b.cycle;
    await b.risingEdge();
    await b.until(() => io.irq.value === 1);
    expect([b.cycle - claimed, io.best.value]).toEqual([3 + 2, 2]);
  });

  test.each([
    ["a claim without an interrupt takes one", "wire claim_1 = claim & irq_q", "wire claim_1 = claim"],
    [
      "a level asks while it is served",
      /pending <= \(pending & ~claimed\) \| asks/,
      "pending <= (pending & ~claimed) | asks | (lines & ~edges)",
    ],
    [
      "an edge while its source is served is lost",
      /wire \[4:0\] asks = ([^;]*);/,
      "wire [4:0] asks = ($1) & ~serving;",
    ],
    ["all of equals at once", "kept_0 & (~kept_0 + 5'd1)", "kept_0"],
    ["the claimed source is chosen once more", "waited <= 2'd2", "waited <= 2'd1"],
    ["a priority at the threshold interrupts", "known_0 > threshold", "known_0 >= threshold"],
    ["a lower priority stays in the choice", /kept_0 <= [^;]*;/, "kept_0 <= kept_1;"],
    ["a completion completes all", "serving & ~completed", "serving & {5{~complete_valid}}"],
    ["reset leaves what is served", "serving <= 5'd0; ", ""],
  ] as const)("planted fault: %s", (_what, from, to) =>
    findsFault(
      runBench("random", plant(dut(5, 2), from, to), { wave: false }, b => random(b, 5, 2)),
      /./,
    ),
  );
});
