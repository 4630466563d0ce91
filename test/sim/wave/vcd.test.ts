/** Waves of the built-in simulator: every signal at every time, against the ports and against Verilator's own trace. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assertAlways, emit, module, output, reg, uint } from "../../../hdl-dsl/index.ts";
import {
  builtinBackend,
  compileBuiltin,
  DesignStopped,
  runBench,
  simulate,
  SimulationError,
  verilatorBackend,
} from "../../../sim/index.ts";
import { faulty } from "../designs/faulty.ts";
import { counter, quitter } from "../designs/hand-written.ts";
import { againstPorts, againstWave, play, type Run } from "./play.ts";
import { Vcd } from "./vcd-reader.ts";
import { Waved } from "./waved.ts";
import { asText } from "../../support/as-text.ts";

const Limited = module(
  "WavedLimited",
  () => ({ q: output(uint(4)) }),
  io => {
    const n = reg(uint(4), { init: 0 });
    n.set(n.add(1));
    assertAlways(n.lt(9), "n stays below 9");
    io.q.set(n);
  },
);

let folder = "",
  ours: Run,
  verilators: Run;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-vcd-"));
  const design = emit(Waved());
  ours = play(compileBuiltin(design, { trace: true }), folder, "ours.vcd");
  verilators = play(await verilatorBackend.load(design, { trace: "vcd", brief: true }), folder, "verilators.vcd");
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a wave of the built-in simulator", () => {
  test("has at every time what the bench saw", () => {
    expect(againstPorts(ours)).toEqual([]);
    expect(ours.seen.some(s => (s.ports.get("q_wide") ?? 0n) > 2n ** 90n)).toBe(true);
  });

  test("has all signals of Verilator's trace of the same run, with the same values", () => {
    const r = againstWave(ours, verilators);
    expect(r.wrong).toEqual([]);
    expect(r.compared).toBeGreaterThan(5000);
    // Beside copies of the ports above the top and words of memories Verilator shows constants, and wires at pins.
    const more = [...verilators.vcd.variables.keys()].filter(v => !ours.vcd.variables.has(v));
    expect(more.filter(v => v.startsWith("TOP.Waved.") && !v.includes("[")).map(v => v.slice(10))).toEqual([
      "adder_own_reset",
      ...["phase_idle", "phase_rest", "phase_run"],
      ...["waved_colour_blue", "waved_colour_green", "waved_colour_red"],
    ]);
    expect([...ours.vcd.variables.keys()]).toEqual(
      expect.arrayContaining(["TOP.Waved.phase", "TOP.Waved.adder.rst", "TOP.Waved.adder.sum", "TOP.Waved.slow_rst_n"]),
    );
  });

  test("shows nothing of what settles between two edges", () => {
    const r = play(compileBuiltin(emit(Waved()), { trace: true }), folder, "settles.vcd", { settles: true });
    expect(againstPorts(r)).toEqual([]);
    expect(againstWave(ours, r).wrong).toEqual([]);
  });

  test("of text that is read has the same names and values", () => {
    const r = play(compileBuiltin(asText(emit(Waved())), { trace: true }), folder, "text.vcd");
    expect(againstPorts(r)).toEqual([]);
    expect(againstWave(ours, r).wrong).toEqual([]);
  });

  test.each([true, false])("is the same whether partitions run on demand or always (%s)", gated => {
    const r = play(compileBuiltin(emit(Waved()), { trace: true, gated }), folder, `gated${gated}.vcd`);
    expect(againstWave(ours, r).wrong).toEqual([]);
  });

  test("begins at the cycle that is asked for", () => {
    const r = play(compileBuiltin(emit(Waved()), { trace: true }), folder, "late.vcd", { from: 120 });
    expect(r.vcd.times[0]).toBe(r.seen[0]?.time);
    expect(againstPorts(r)).toEqual([]);
    expect(againstWave(r, ours).wrong).toEqual([]);
  });
});

describe("faults planted in the writer are found", () => {
  const isFound = (compile: typeof compileBuiltin): boolean => {
    try {
      const r = play(compile(emit(Waved()), { trace: true }), folder, "faulty.vcd");
      return againstPorts(r).length + againstWave(r, verilators).wrong.length > 0;
    } catch {
      return true;
    }
  };
  test("and without a fault nothing is", async () => {
    const copy = { file: "wave/vcd.ts", from: "/** The text of", to: "/** Text of" };
    expect(isFound(await faulty(copy))).toBe(false);
  });
  test.each([
    {
      file: "model.ts",
      from: "this.#recorder?.sample(this.#edges, this.#time);\n    this.#edges++;",
      to: "this.#edges++;\n    this.#recorder?.sample(this.#edges, this.#time + 1000);",
    },
    { file: "model.ts", from: "code.settle();\n    this.#recorder?.sample", to: "this.#recorder?.sample" },
    { file: "model.ts", from: "this.#recorder?.rise(now, rising);", to: "this.#recorder?.rise(now, rising & 1);" },
    { file: "wave/recorder.ts", from: "last[i] = now;", to: "last[i] ??= now;" },
    { file: "wave/recorder.ts", from: "if (n === done) continue;", to: "if (done >= 0) continue;" },
    {
      file: "wave/recorder.ts",
      from: "Math.ceil((this.#clocks[i] as ClockSetting).periodPs / 2)",
      to: "(this.#clocks[i] as ClockSetting).periodPs",
    },
    { file: "wave/recorder.ts", from: "v.first + i", to: "v.first" },
    { file: "wave/vcd.ts", from: 'padStart(32, "0")', to: 'padStart(31, "0")' },
    { file: "wave/vcd.ts", from: "while (n > 0 && words[at + n] === 0) n--;", to: "n = 0;" },
    { file: "wave/vcd.ts", from: "(rest - 1) % 94)", to: "(rest - 1) % 5)" },
    { file: "wave/places.ts", from: "word += words;", to: "word += 1;" },
    { file: "circuit/traced.ts", from: "for (const l of local)", to: "for (const l of local.slice(1))" },
    { file: "circuit/traced.ts", from: "d.low === true ? g.not(on) : on", to: "on" },
  ])("$file: $from", async fault => {
    const compile = await faulty(fault);
    expect(isFound(compile)).toBe(true);
  });
});

describe("the harness", () => {
  test("writes the wave by the name of the file, the states beside it, and every port of a simulation", async () => {
    const path = join(folder, "run.vcd"),
      seen: bigint[] = [];
    {
      using sim = await simulate(Waved(), { wave: { path } });
      sim.io.go.value = 1;
      for (let n = 0; n < 40; n++) {
        sim.io.step.value = n % 3 === 0 ? -200 : 7;
        sim.step();
        seen.push(BigInt.asUintN(40, BigInt(sim.io.sum.value)));
      }
      expect(seen.some(v => v > 2n ** 39n)).toBe(true);
    }
    const vcd = new Vcd(readFileSync(path, "utf8"));
    // What is read after an edge stood before it.
    const before = vcd.rises("TOP.Waved.clk").map(t => vcd.at("TOP.Waved.sum", t - 1));
    expect(before.slice(-40)).toEqual(seen);
    expect(readFileSync(`${path}.gtkw`, "utf8")).toContain("TOP.Waved.adder.sum[39:0]");
    expect(readFileSync(join(`${path}.states`, "phase_idle_run_rest.txt"), "utf8")).toBe("1 idle\n2 run\n4 rest\n");
  });

  test("writes it of a design by hand, up to where the design stops", async () => {
    const path = join(folder, "quits.vcd");
    {
      using sim = await simulate(quitter, { wave: { path } });
      sim.io.how.value = 2;
      expect(() => sim.step(10)).toThrow(DesignStopped);
      const vcd = new Vcd(readFileSync(path, "utf8"));
      expect(vcd.rises("TOP.Quitter.clk").length).toBe(sim.model.edges());
      expect(vcd.at("TOP.Quitter.how", sim.model.timePs())).toBe(2n);
    }
  });

  test("ends it where an assertion of a module fails, with what stood before that edge", async () => {
    const path = join(folder, "asserts.vcd");
    using sim = await simulate(Limited(), { wave: { path } });
    expect(() => sim.step(20)).toThrow(DesignStopped);
    const vcd = new Vcd(readFileSync(path, "utf8"));
    expect(vcd.rises("TOP.WavedLimited.clk").at(-1)).toBe(sim.model.timePs());
    expect(vcd.at("TOP.WavedLimited.n", sim.model.timePs())).toBe(9n);
    expect(() => sim.step()).toThrow(DesignStopped);
  });

  test("a bench's own wave", async () => {
    const path = join(folder, "bench.vcd");
    await runBench("good", counter, { wave: { path } }, async b => {
      b.io.en.value = 1;
      await b.cycles(50);
    });
    const vcd = new Vcd(readFileSync(path, "utf8"));
    expect(vcd.at(`TOP.${counter.emitted.top}.count`, vcd.times.at(-1) ?? 0)).toBe(50n);
  });

  test.each([
    [{ path: "run.wave" }, undefined, /the wave's name is "run.wave"; it must end in .vcd \(text\) or .fst/],
    [{ path: "run.fst" }, "builtin", /ends in .fst, but the simulator that the option backend names writes vcd/],
  ] as const)("refuses %j with the backend %s", async (wave, name, message) => {
    const run = simulate(counter, { wave, ...(name === undefined ? {} : { backend: builtinBackend }) });
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toThrow(SimulationError);
  });
});
