/** Every point of a module against what its condition was in each step: short random runs, some steps in reset. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bit, cover, emit, input, module, output, reg, switchOn, uint, when } from "../../../hdl-dsl/index.ts";
import { compileBuiltin, mergeCoverage, missed, Random, type Reached } from "../../../sim/index.ts";
import { faulty } from "../designs/faulty.ts";

const Conditions = module(
  "Conditions",
  () => ({ a: input(uint(2)), b: input(bit), d: input(uint(2)), y: output(uint(4)), z: output(uint(2)) }),
  io => {
    const y = reg(uint(4), { init: 0 }),
      z = reg(uint(2));
    z.set(io.d);
    when(io.b, () => {
      when(io.a.eq(1), () => {
        y.set(1); // nested then
      }).otherwise(() => {
        y.set(2); // nested otherwise
      });
      switchOn(io.a)
        .is([1, 2], () => {
          y.set(3); // two labels
        })
        .otherwise(() => {
          y.set(4); // case otherwise
        });
      cover(io.a.eq(3), "three under b");
    });
    io.y.set(y);
    io.z.set(z);
  },
);

interface Step {
  readonly rst: number;
  readonly a: number;
  readonly b: number;
  readonly d: number;
}
const branches: Readonly<Record<string, (s: Step) => boolean>> = {
  "nested then": s => s.b === 1 && s.a === 1,
  "nested otherwise": s => s.b === 1 && s.a !== 1,
  "two labels": s => s.b === 1 && (s.a === 1 || s.a === 2),
  "case otherwise": s => s.b === 1 && s.a !== 1 && s.a !== 2,
};
const here = readFileSync(fileURLToPath(import.meta.url), "utf8").split("\n");
const lineOf = (comment: string): number => here.findIndex(l => l.includes(`; // ${comment}`)) + 1;

/** What the steps reach, by the source's own words; z takes d at each edge, in reset too, but that does not count. */
function expected(steps: readonly Step[]): string[] {
  const running = steps.filter(s => s.rst === 0);
  const at = (test: (now: number, before: number) => boolean, n: number): boolean =>
    steps.some((s, i) => s.rst === 0 && i > 0 && test((s.d >> n) & 1, ((steps[i - 1] as Step).d >> n) & 1));
  return [
    ...Object.entries(branches)
      .filter(([, taken]) => running.some(taken))
      .map(([name]) => name),
    ...[0, 1].flatMap(n => (at((now, before) => now > before, n) ? [`rise ${n}`] : [])),
    ...[0, 1].flatMap(n => (at((now, before) => now < before, n) ? [`fall ${n}`] : [])),
    `covered ${running.filter(s => s.b === 1 && s.a === 3).length}`,
  ];
}
function told(points: readonly Reached[]): string[] {
  const hit = points.filter(p => !missed(p) && p.kind === "line").flatMap(p => p.lines);
  const bits = (kind: "rise" | "fall"): string[] => {
    const seen = points.find(p => p.kind === kind && p.what === "z_q")?.seen ?? 0n;
    return [0, 1].flatMap(n => ((seen >> BigInt(n)) & 1n ? [`${kind} ${n}`] : []));
  };
  return [
    ...Object.keys(branches).filter(name => hit.includes(lineOf(name))),
    ...bits("rise"),
    ...bits("fall"),
    `covered ${points.find(p => p.kind === "cover")?.count ?? NaN}`,
  ];
}

let folder: string;
const before = process.env["MNEMO_COVERAGE"];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coverage-"));
});
afterEach(() => {
  if (before === undefined) delete process.env["MNEMO_COVERAGE"];
  else process.env["MNEMO_COVERAGE"] = before;
  rmSync(folder, { recursive: true });
});

/** The runs whose coverage is not what their steps say, as a sentence each. */
function wrong(compile: typeof compileBuiltin): string[] {
  const random = new Random(5),
    out: string[] = [];
  for (let run = 0; run < 60; run++) {
    const own = join(folder, String(run));
    process.env["MNEMO_COVERAGE"] = own;
    const inReset = random.below(3);
    const steps: Step[] = Array.from({ length: 3 + random.below(5) }, (_, i) => ({
      // z is unknown at first: its first edge lies in reset.
      rst: i <= inReset ? 1 : 0,
      a: random.below(4),
      b: random.below(2),
      d: random.below(4),
    }));
    const m = compile(emit(Conditions())).create({ seed: 1, clocks: {} });
    for (const step of steps) {
      for (const [name, value] of Object.entries<number>({ ...step })) m.words[m.slots.get(name)?.word ?? NaN] = value;
      m.step(1);
    }
    m.free();
    const is = told(mergeCoverage(own)),
      want = expected(steps);
    if (is.join() !== want.join()) out.push(`${is.join()} instead of ${want.join()}`);
  }
  return out;
}

test("each point is reached in the steps whose values say so, and in no other", () => {
  expect(wrong(compileBuiltin)).toEqual([]);
});

const file = "circuit/covered.ts";
test.each([
  { from: "none = g.and(none, g.not(hit))", to: "none = when" },
  { from: "g.and(g.and(when, cond), this.#running(clock))", to: "g.and(when, cond)" },
  { from: "g.and(running, g.and(before, after))", to: "g.and(before, after)" },
  { from: "body(x.then, g.and(when, cond), x.position)", to: "body(x.then, cond, x.position)" },
  { from: "body(c.body, g.and(when, hit), x.position)", to: "body(c.body, hit, x.position)" },
  { from: "g.or(a, b), g.constant(0n, 1)", to: "g.and(a, b), g.constant(1n, 1)" },
  { from: "body(x.otherwise, g.and(when, g.not(cond))", to: "body(x.otherwise, g.and(when, cond)" },
  { from: "body(x.otherwise ?? [], none", to: "body(x.otherwise ?? [], when" },
  { from: 'edge("rise", g.not(q), r.next)', to: 'edge("rise", q, g.not(r.next))' },
  { from: "g.mux(full, count, g.add(count, one))", to: "g.or(count, one)" },
])("a fault planted in it is found: $to", async ({ from, to }) => {
  const compile = await faulty({ file, from, to });
  expect(wrong(compile)).not.toEqual([]);
});
