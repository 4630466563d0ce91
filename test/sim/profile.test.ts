/** The profile: what is idle costs nothing, what runs counts as often as it runs. */
import { expect, test } from "vitest";
import { bit, emit, input, instance, module, output, reg, uint, when } from "../../hdl-dsl/index.ts";
import { compileBuiltin, type Cost, type Profile, profileTable, simulate, verilatorBackend } from "../../sim/index.ts";
import { faulty } from "./designs/faulty.ts";

/** It is never still: what it holds goes into what it holds next. */
const Work = module(
  "ProfiledWork",
  () => ({ go: input(bit), a: input(uint(32)), q: output(uint(64)) }),
  io => {
    const a = reg(uint(32), { init: 0 }),
      q = reg(uint(64), { init: 0 });
    when(io.go, () => a.set(io.a));
    q.set(a.mul(a).xor(q.shl(1)).trunc(64));
    io.q.set(q);
  },
);
/** Still while its inputs are. */
const Still = module(
  "ProfiledStill",
  () => ({ go: input(bit), a: input(uint(32)), q: output(uint(64)) }),
  io => {
    const a = reg(uint(32), { init: 0 }),
      q = reg(uint(64), { init: 0 });
    when(io.go, () => a.set(io.a));
    q.set(a.mul(a));
    io.q.set(q);
  },
);
const Profiled = module(
  "Profiled",
  () => ({ a: input(uint(32)), often: input(bit), never: input(bit), q: output(uint(64)) }),
  io => {
    const busy = instance("busy", Work()),
      rare = instance("rare", Still()),
      idle = instance("idle", Still());
    for (const i of [busy, rare, idle]) i.a.set(io.a);
    busy.go.set(1);
    rare.go.set(io.often);
    idle.go.set(io.never);
    io.q.set(busy.q.xor(rare.q).xor(idle.q));
  },
);

const CYCLES = 1000;
const costOf = (list: readonly Cost[], name: string): Cost => {
  const found = list.find(c => c.name === name);
  if (found === undefined) throw new Error(`no ${name} among ${list.map(c => c.name).join(", ")}`);
  return found;
};

/** What each instance did in a run whose inputs change twice in ten cycles, for `rare` more than for `idle`. */
function check({ instances, modules }: Profile): void {
  const busy = costOf(instances, "Profiled.busy"),
    rare = costOf(instances, "Profiled.rare"),
    idle = costOf(instances, "Profiled.idle");
  expect(busy.evaluations).toBeGreaterThan(0.9 * CYCLES);
  for (const still of [rare, idle]) {
    expect(still.evaluations).toBeGreaterThanOrEqual(CYCLES / 10);
    expect(still.evaluations).toBeLessThan(CYCLES / 2);
    expect(still.cost).toBeLessThan(busy.cost / 2);
  }
  expect(rare.evaluations).toBeGreaterThan(idle.evaluations);
  for (const list of [instances, modules]) {
    expect(list.reduce((sum, c) => sum + c.share, 0)).toBeCloseTo(1, 9);
    expect(list.map(c => c.cost)).toEqual(list.map(c => c.cost).sort((a, b) => b - a));
  }
  const still = costOf(modules, "ProfiledStill");
  expect([still.of, still.cost, still.evaluations]).toEqual([
    "2",
    rare.cost + idle.cost,
    rare.evaluations + idle.evaluations,
  ]);
  expect(costOf(modules, "Profiled").of).toBe("1");
}

async function run(profile: boolean): Promise<{ readonly profile: Profile | undefined; readonly outputs: string }> {
  using sim = await simulate(Profiled(), { profile });
  const outputs: bigint[] = [];
  for (let n = 0; n < CYCLES; n++) {
    if (n % 10 === 0) sim.io.a.value = Math.imul(n, 2654435761) >>> 0;
    sim.io.often.value = n % 10 === 0 ? 1 : 0;
    sim.step();
    outputs.push(sim.io.q.value);
  }
  return { profile: profile ? sim.profile() : undefined, outputs: outputs.join() };
}

test("counts by instance and by module, and changes nothing", async () => {
  const [counted, plain] = [await run(true), await run(false)];
  check(counted.profile as Profile);
  expect(counted.outputs).toBe(plain.outputs);
});

test("is a table of modules and instances, with the rest in one row", async () => {
  const { profile } = await run(true),
    lines = profileTable(profile as Profile, 2).split("\n");
  expect(lines[0]).toMatch(/^ *share {2}evaluations {2}module +instances$/);
  expect(lines[1]).toMatch(/^ *\d+\.\d % +\d+ {2}ProfiledWork +1$/);
  expect(lines.filter(l => / (1|2) more$/.test(l)).length).toBe(2);
  expect(lines.some(l => /^ *share {2}evaluations {2}instance +module$/.test(l))).toBe(true);
  expect(profileTable(profile as Profile)).not.toContain("more");
});

test("is refused where nothing is counted", async () => {
  using sim = await simulate(Profiled());
  expect(() => sim.profile()).toThrow("profile: nothing was counted; give simulate the option profile: true");
  await expect(simulate(Profiled(), { profile: true, backend: verilatorBackend })).rejects.toThrow(
    "Verilator does not",
  );
});

test.each([
  { file: "generate.ts", from: "count(code, address);", to: "" },
  { file: "generate.ts", from: "options.profile === true ? true : options.gated", to: "false" },
  { file: "profile.ts", from: "rows.set(partition.scope, row);", to: "rows.set(0, row);" },
  { file: "profile.ts", from: "row.cost += n * cost;", to: "row.cost += cost;" },
])("a fault in it is found: $from", async fault => {
  const compile = await faulty(fault);
  const rows = (c: typeof compileBuiltin): string => {
    const m = c(emit(Profiled()), { profile: true }).create({ seed: 1, clocks: {} });
    const word = (name: string): number => m.slots.get(name)?.word ?? 0;
    for (let n = 0; n < CYCLES; n++) {
      m.words[word("rst")] = n < 2 ? 1 : 0;
      m.words[word("a")] = Math.imul(n, 2654435761) >>> 0;
      m.words[word("often")] = n % 10 === 0 ? 1 : 0;
      m.step(1);
    }
    return JSON.stringify(m.profile?.());
  };
  expect(rows(compile)).not.toBe(rows(compileBuiltin));
});
