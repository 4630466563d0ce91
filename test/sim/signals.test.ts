/** Signals inside, and breakpoints on them. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { runBench, simulate, type Simulation, verilatorBackend } from "../../sim/index.ts";
import { fifo } from "./designs/hand-written.ts";
import { Vcd } from "./wave/vcd-reader.ts";
import { Waved } from "./wave/waved.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-signals-"));
afterAll(() => rmSync(folder, { recursive: true }));

const drive = (sim: Simulation<ReturnType<typeof Waved>["ports"]>, n: number): void => {
  sim.io.go.value = n % 4 === 0 ? 0 : 1;
  sim.io.step.value = (n % 300) - 200;
  if (n % 5 === 0) sim.io.word.value = sim.random.bits(100);
};

describe("a signal inside", () => {
  test("has at every edge what the wave of the run has before that edge, whatever its width and sign", async () => {
    const path = join(folder, "run.vcd");
    const names = [
      "adder.sum_q",
      "adder.rst",
      "count_wide",
      "count_low",
      "both",
      "phase",
      "ticks_q",
      "q_wide",
      "go",
      "adder.add",
    ];
    const seen: { time: number; values: bigint[] }[] = [];
    {
      using sim = await simulate(Waved(), { signals: true, wave: { path } });
      const signals = names.map(n => sim.signal(n));
      expect(signals.map(s => s.width)).toEqual([40, 1, 100, 4, 70, 3, 6, 100, 1, 9]);
      for (let n = 0; n < 200; n++) {
        drive(sim, n);
        const time = sim.model.timePs();
        sim.step();
        seen.push({ time, values: signals.map(s => s.big) });
      }
      // Signed as declared.
      expect(seen.some(s => (s.values[0] ?? 0n) < 0n)).toBe(true);
    }
    const vcd = new Vcd(readFileSync(path, "utf8"));
    for (const { time, values } of seen)
      expect(
        values.map(
          (v, i) =>
            BigInt.asUintN(100, v) % (1n << BigInt(vcd.variables.get(`TOP.Waved.${names[i] ?? ""}`)?.width ?? 0)),
        ),
      ).toEqual(names.map(n => vcd.at(`TOP.Waved.${n}`, time)));
  });

  test("is there in hand-written text, and does not change the run", async () => {
    const run = async (signals: boolean): Promise<string[]> => {
      using sim = await simulate(Waved(), { signals });
      const rows: string[] = [];
      for (let n = 0; n < 100; n++) {
        drive(sim, n);
        sim.step();
        rows.push(
          [...sim.model.slots.values()].map(s => sim.model.words.slice(s.word, s.word + s.words).join()).join(" "),
        );
      }
      return rows;
    };
    expect(await run(true)).toEqual(await run(false));
    using sim = await simulate(fifo, { signals: true });
    expect(sim.signal("push_valid").value).toBe(0);
  });

  test("that does not exist is told with those near it", async () => {
    using sim = await simulate(Waved(), { signals: true });
    for (const [name, near] of [
      ["sum_q", "near are adder.sum_q"],
      ["adder.negatve", "near are adder.negative"],
      ["wrong.sum", "near are sum, adder.sum"],
      ["nothing_like_it", "there are 23, such as rst, slow_rst_n, go"],
    ] as const)
      expect(() => sim.signal(name)).toThrow(`Waved has no signal ${name}; ${near}`);
    expect(() => sim.whenever({ fase: "run" }, () => undefined)).toThrow("near are phase");
    expect(() => sim.whenever({ phase: "runs" }, () => undefined)).toThrow(
      'phase is never "runs"; give one of idle, run, rest',
    );
    expect(() => sim.runTo({ count_low: "three" }, 5)).toThrow("its values have no names: give a number");
    // It is not to be written.
    expect(() => {
      (sim.signal("go") as { value: number }).value = 1;
    }).toThrow("go is an output of the design: it cannot be written");
  });

  test("needs a build with signals", async () => {
    using plain = await simulate(Waved());
    expect(plain.signal("busy").value).toBe(0);
    expect(() => plain.signal("adder.sum")).toThrow("give simulate the option signals: true");
    using verilator = await simulate(fifo, { signals: true, backend: verilatorBackend });
    expect(() => verilator.signal("count")).toThrow("the built-in simulator has them, Verilator does not");
  });

  describe("where MNEMO_BACKEND asks for Verilator", () => {
    afterEach(() => vi.unstubAllEnvs());
    test("the built-in simulator runs what reads them, and a sentence says so", async () => {
      vi.stubEnv("MNEMO_BACKEND", "verilator");
      const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
      using sim = await simulate(Waved(), { signals: true });
      expect(sim.signal("adder.sum").value).toBeTypeOf("number");
      expect(said.mock.calls.join("")).toContain("The built-in simulator runs Waved, not Verilator");
      said.mockRestore();
    });
  });
});

describe("breakpoints", () => {
  test("call back at every edge at which the condition held, until they are removed", async () => {
    using sim = await simulate(Waved(), { signals: true });
    const hits: number[] = [],
      want: number[] = [];
    const phase = sim.signal("phase"),
      low = sim.signal("count_low");
    const remove = sim.whenever({ phase: "run", count_low: 5 }, cycle => hits.push(cycle));
    for (let n = 0; n < 200; n++) {
      drive(sim, n);
      sim.step();
      if (phase.value === 2 && low.value === 5) want.push(sim.cycle);
    }
    expect(want.length).toBeGreaterThan(3);
    expect(hits).toEqual(want);
    remove();
    sim.step(100);
    expect(hits).toEqual(want);
  });

  test("stop a run at the edge, negative values too, or after the limit", async () => {
    using sim = await simulate(Waved(), { signals: true });
    sim.io.step.value = -7;
    const edges = sim.runTo({ "adder.sum_q": -70, "adder.negative": 1 }, 100);
    expect([edges, sim.io.sum.value]).toEqual([11, -70]);
    expect(sim.runTo({ "adder.sum_q": -71 }, 20)).toBeUndefined();
    const sum = sim.signal("adder.sum_q");
    expect(sim.runTo(() => sum.num < -300, 100)).toBeGreaterThan(5);
    expect(sum.value).toBe(-301);
  });

  test("in a bench: a task waits for a signal inside, and a callback's error fails it", async () => {
    await runBench("inside", Waved(), { signals: true, wave: false }, async b => {
      b.io.go.value = 1;
      const phase = b.sim.signal("phase");
      await b.until(() => phase.value === 4);
      expect(b.io.colour.value).toBe("blue");
    });
    await expect(
      runBench("breaks", Waved(), { signals: true, wave: false }, async b => {
        b.sim.whenever({ phase: "rest" }, () => {
          throw new Error("it rests");
        });
        b.io.go.value = 1;
        await b.cycles(100);
      }),
    ).rejects.toThrow("it rests");
  });

  test("of another clock look at its edges only", async () => {
    using sim = await simulate(Waved(), {
      signals: true,
      clocks: { default: { periodNs: 4 }, slow: { periodNs: 20 } },
    });
    const cycles: number[] = [];
    sim.whenever(
      () => true,
      c => cycles.push(c),
      "slow",
    );
    sim.step(30);
    const { cycle } = sim.domain("slow");
    expect(cycles.at(-1)).toBe(cycle);
    expect(cycles.length).toBeLessThan(12);
  });
});
