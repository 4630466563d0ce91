/** Saving and restoring: a run that goes back does what it did before, design and bench. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { assertAlways, module, output, reg, uint } from "../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  bursts,
  type Checkpoint,
  DesignStopped,
  pattern,
  readCheckpoint,
  runBench,
  type Seen,
  simulate,
  StreamSink,
  StreamSource,
  verilatorBackend,
  waveOf,
  writeCheckpoint,
} from "../../../sim/index.ts";
import { counter, fifo } from "../designs/hand-written.ts";
import { Vcd } from "../wave/vcd-reader.ts";
import { Waved } from "../wave/waved.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-checkpoint-"));
afterAll(() => rmSync(folder, { recursive: true }));

const Limited = module(
  "CheckpointLimited",
  () => ({ q: output(uint(8)) }),
  io => {
    const n = reg(uint(8), { init: 0 });
    n.set(n.add(1));
    assertAlways(n.lt(100), "n stays below 100");
    io.q.set(n);
  },
);

describe("a bench with streams", () => {
  type Fifo = typeof fifo.ports;
  const models = (b: Bench<Fifo>): { source: StreamSource<never>; sink: StreamSink<never> } => ({
    source: new StreamSource(b.sim, b.io.push, { pause: bernoulli(0.3, 5) }),
    sink: new StreamSink(b.sim, b.io.pop, { pause: bursts({ go: 3, pause: 9 }, 6) }),
  });
  const rest = async (b: Bench<Fifo>, sink: StreamSink<never>): Promise<readonly Seen<unknown>[]> => {
    await b.until(() => sink.received.length === 60);
    return sink.received.slice();
  };

  test("goes on from a checkpoint as it did, again and in another run", async () => {
    let kept: Checkpoint | undefined,
      first: readonly Seen<unknown>[] = [];
    await runBench("first", fifo, { wave: false }, async b => {
      const { source, sink } = models(b);
      for (let i = 0; i < 60; i++) source.send((i * 7) as never);
      await b.cycles(40);
      expect(source.pending * sink.received.length).toBeGreaterThan(0);
      kept = b.sim.save();
      const at = b.cycle,
        drawn = b.random.word();
      first = await rest(b, sink);
      const end = b.cycle;
      b.sim.restore(kept);
      expect([b.cycle, b.random.word()]).toEqual([at, drawn]);
      expect(await rest(b, sink)).toEqual(first);
      expect(b.cycle).toBe(end);
    });
    const path = join(folder, "fifo.checkpoint");
    writeCheckpoint(path, kept as Checkpoint);
    const checkpoint = readCheckpoint(path);
    expect(checkpoint).toEqual(kept);
    await runBench("second", fifo, { wave: false, checkpoint, seed: 9 }, async b => {
      const { sink } = models(b);
      b.sim.restore(checkpoint);
      expect(await rest(b, sink)).toEqual(first);
    });
  });

  test("the time of a bench's limit goes with it", async () => {
    const far = await runBench("far", counter, { wave: false }, async b => {
      await b.cycles(900);
      return b.sim.save();
    });
    await runBench("near", counter, { wave: false, limitCycles: 200 }, async b => {
      b.sim.restore(far);
      expect(b.cycle).toBe(902);
      await b.cycles(100);
    });
  });
});

describe("what cannot be", () => {
  test("an agent without a state, and others than were saved", async () => {
    using sim = await simulate(fifo);
    const c = sim.save();
    const remove = sim.onEdge({ drive: () => undefined });
    expect(() => sim.save()).toThrow(
      /^save: an agent without a name on clock default: no save\(\) and restore\(\) there/,
    );
    expect(sim.save({ agents: false }).agents).toBeUndefined();
    sim.step(5);
    sim.restore(sim.save({ agents: false }));
    remove();
    new StreamSource(sim, sim.io.push, { pause: () => true });
    expect(() => sim.save()).toThrow(
      "push_valid: its pause is a function without a state, which no checkpoint can hold",
    );
    expect(() => sim.restore(c)).toThrow(
      "restore: the agents are StreamWatch on clock default, StreamSource on clock default, in the checkpoint none; make the same",
    );
    sim.restore(c, { agents: false });
    expect(sim.cycle).toBe(2);
  });

  test("another design, a freed one, a stopped one, Verilator, from within an agent", async () => {
    const sim = await simulate(counter),
      c = sim.save();
    {
      using other = await simulate(fifo);
      expect(() => other.restore(c)).toThrow(/^restore: the checkpoint is of \w+, not of \w+$/);
      expect(() => other.model.restore(c.model)).toThrow(
        /^restore: the state is of another design: port .* there; save it again$/,
      );
    }
    let inner: unknown;
    const remove = sim.onEdge({
      sample: () => {
        try {
          sim.save();
        } catch (e) {
          inner = e;
        }
      },
    });
    sim.step();
    remove();
    expect(String(inner)).toContain("save() was called from within an agent");
    sim.free();
    expect(() => sim.save()).toThrow("save: the simulation was freed");
    using limited = await simulate(Limited());
    const early = limited.save();
    expect(() => limited.step(300)).toThrow(DesignStopped);
    expect(() => limited.save()).toThrow("save: the design has stopped");
    // Back to life, and to the same end.
    limited.restore(early);
    limited.step(99);
    expect(limited.io.q.value).toBe(98);
    expect(() => limited.step(10)).toThrow(DesignStopped);
    using slow = await simulate(counter, { backend: verilatorBackend });
    expect(() => slow.save()).toThrow("Verilator's models cannot be saved: use the built-in simulator");
    await expect(simulate(counter, { backend: verilatorBackend, history: { cycles: 5 } })).rejects.toThrow(
      "Verilator's models cannot be saved",
    );
  });

  test("while another task waits", async () => {
    await runBench("waits", counter, { wave: false }, async b => {
      const c = b.sim.save();
      b.spawn(() => b.cycles(10));
      await b.cycles(2);
      expect(() => b.sim.restore(c)).toThrow("restore: 1 wait of the bench would not know of it");
    });
  });

  test("a file that is none", () => {
    const path = join(folder, "none.checkpoint");
    writeFileSync(path, "no");
    expect(() => readCheckpoint(path)).toThrow(
      /none.checkpoint is no checkpoint; give a file that writeCheckpoint wrote$/,
    );
  });
});

describe("waves afterwards", () => {
  const clocks = { default: { periodNs: 4 }, slow: { periodNs: 7 } };
  const drive = async (
    options: Parameters<typeof simulate>[1],
    edges: number,
  ): Promise<Awaited<ReturnType<typeof make>>> => {
    const sim = await make(options);
    for (let n = 0; n < edges; n++) {
      sim.io.go.value = n % 3 === 0 ? 0 : 1;
      sim.io.step.value = (n % 500) - 250;
      if (n % 5 === 0) sim.io.word.value = sim.random.bits(100);
      if (n % 7 === 0) sim.settle();
      sim.step();
    }
    return sim;
  };
  const make = (options: Parameters<typeof simulate>[1]) => simulate(Waved(), { ...options, clocks });

  test.each([1000, 150, 40])("are those of the run itself, with %i cycles kept", async cycles => {
    const path = join(folder, "after.vcd"),
      own = join(folder, "own.vcd");
    const sim = await drive({ history: { cycles } }, 300);
    const from = await waveOf(sim, path);
    expect(300 - from <= 2 * cycles).toBe(true);
    expect(sim.model.edges() - from).toBeGreaterThanOrEqual(Math.min(cycles, 300));
    sim.free();
    (await drive({ wave: { path: own, fromCycle: from } }, 300)).free();
    expect(readFileSync(path, "utf8")).toBe(readFileSync(own, "utf8"));
    expect(existsSync(`${path}.gtkw`)).toBe(true);
    // It can be had once more, of a part.
    expect(await waveOf(sim, path, 280)).toBe(280);
    expect(new Vcd(readFileSync(path, "utf8")).rises("TOP.Waved.clk").length).toBeLessThan(30);
  });

  test("from a checkpoint on, in a build with a wave", async () => {
    using sim = await drive({}, 120);
    const checkpoint = sim.save(),
      path = join(folder, "from.vcd");
    sim.step(40);
    {
      using again = await make({ checkpoint, wave: { path } });
      again.step(40);
      expect(again.io.q.wide.value).toBe(sim.io.q.wide.value);
      expect(() => again.restore(checkpoint)).toThrow("restore: the wave has begun, and its time only goes on");
    }
    const vcd = new Vcd(readFileSync(path, "utf8"));
    expect(vcd.times[0]).toBe(checkpoint.model.timePs);
    expect(vcd.at("TOP.Waved.q_wide", vcd.times.at(-1) ?? 0)).not.toBeUndefined();
  });

  test("of a bench that fails once only: it is not run again", async () => {
    let runs = 0;
    const run = runBench("rare", Limited(), { history: { cycles: 30 }, waveFolder: folder }, async b => {
      runs++;
      for (;;) await b.risingEdge();
    });
    await expect(run).rejects.toThrow(
      /n stays below 100[^]*\[rare: seed 1, cycle \d+; .*wave: .*rare-1\.vcd from cycle (60|90)\]$/,
    );
    expect(runs).toBe(1);
    const vcd = new Vcd(readFileSync(join(folder, "rare-1.vcd"), "utf8"));
    expect(vcd.at("TOP.CheckpointLimited.n", vcd.times.at(-1) ?? 0)).toBe(100n);
  });

  test("are refused without a history, and as FST", async () => {
    using plain = await simulate(counter);
    await expect(waveOf(plain, "x.vcd")).rejects.toThrow(
      "nothing is kept of this simulation; give simulate the option history",
    );
    using kept = await simulate(counter, { history: { cycles: 5 } });
    await expect(waveOf(kept, "x.fst")).rejects.toThrow("it must end in .vcd");
    await expect(simulate(counter, { history: { cycles: 0 } })).rejects.toThrow("history.cycles is 0");
  });
});

test("a pattern of pauses goes on where it was", () => {
  const p = pattern("-##-#"),
    next = (): boolean[] => Array.from({ length: 7 }, () => p());
  next();
  const at = p.state?.get() ?? [],
    then = next();
  p.state?.set(at);
  expect(next()).toEqual(then);
});
