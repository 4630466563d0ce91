import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import { DesignStopped, HangError, runBench, simulate, SimulationError, StreamSource } from "../../../sim/index.ts";
import { counter, fifo, quitter } from "../designs/hand-written.ts";

describe("a design that ends the simulation", () => {
  for (const [how, cause, message] of [
    [1, "finish", /^Quitter called \$finish at cycle 6:\nbye from the design/],
    [2, "stop", /^Quitter stopped \(\$stop, or an assertion or \$error\) at cycle 6:\n\$stop at Quitter.v:7/],
    [3, "stop", /level was 3/],
    [4, "fatal", /cannot go on/],
  ] as const) {
    test(`way ${how} (${cause}) is an error of the bench, not of the process`, async () => {
      using sim = await simulate(quitter);
      using other = await simulate(quitter);
      sim.step(3);
      sim.io.how.value = how;
      let error: unknown;
      try {
        sim.step(5);
      } catch (e) {
        error = e;
      }
      expect(error).toBeInstanceOf(DesignStopped);
      expect((error as Error).message).toMatch(message);
      expect((error as DesignStopped).cycle).toBe(6);
      // Dead for good, while another model of the same design goes on.
      expect(() => sim.step()).toThrow(DesignStopped);
      expect(() => sim.settle()).toThrow(DesignStopped);
      other.step(20);
      expect(other.io.ticks.value).toBe(19);
    });
  }

  test("in a bench it fails the bench, agents or not", async () => {
    for (const agents of [false, true]) {
      await expect(
        runBench("quits", quitter, { wave: false, seed: 9 }, async b => {
          if (agents)
            b.onEdge({
              sample: () => {
                /* steps one by one */
              },
            });
          b.io.how.value = 4;
          await b.cycles(100);
        }),
      ).rejects.toThrow(/cannot go on[^]*\[quits: seed 9, cycle \d+; MNEMO_SEED=9 runs it again\]$/);
    }
  });
});

describe("a bench's limit of wall time", () => {
  test("counts from when the model is ready, and says what waits", async () => {
    await expect(
      runBench("waits", fifo, { wave: false, hangCycles: 0, timeoutMs: 1, limitCycles: 1e9 }, async b => {
        b.io.push.valid.value = 1;
        await b.until(() => false);
      }),
    ).rejects.toThrow(
      /^the bench has not ended after 0.001 s, its model's compilation not counted \(raise timeoutMs if it needs more\):\n/,
    );
  });
});

describe("freed models", () => {
  test("views are detached: reads and writes say so", async () => {
    const sim = await simulate(counter);
    const { count, en } = sim.io,
      bytes = count.bytes;
    sim.step();
    sim.free();
    sim.free();
    expect(bytes.length).toBe(0);
    for (const use of [
      () => count.value,
      () => count.big,
      () => count.bytes,
      () => {
        en.value = 1;
      },
    ]) {
      expect(use).toThrow(/the simulation was freed; read ports before free\(\)/);
    }
    expect(() => sim.step()).toThrow(new SimulationError("the simulation was freed; simulate the design again"));
    expect(sim.cycle).toBe(3);
  });

  test("many models made and freed do not make the process grow, kept ones do", () => {
    const child = fileURLToPath(new URL("leak-in-child.ts", import.meta.url));
    const out = execFileSync(process.execPath, ["--expose-gc", "--import", "tsx", child], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const { freed, held, kept } = JSON.parse(out) as { freed: number; held: number; kept: number };
    expect(kept).toBe(100);
    expect(held).toBeGreaterThan(80e6);
    expect(freed).toBeLessThan(held / 4);
  });
});

describe("a long run", () => {
  test("lets timers of the process fire", async () => {
    for (const agents of [false, true]) {
      let fired = 0;
      const timer = setInterval(() => {
        fired++;
      }, 1);
      await runBench("long", counter, { limitCycles: 1e9 }, async b => {
        if (agents)
          b.onEdge({
            sample: () => {
              /* steps one by one */
            },
          });
        // No wait ends by itself: only the timer gets the bench out.
        await b.until(() => fired >= 3);
      });
      clearInterval(timer);
      expect(fired).toBeGreaterThanOrEqual(3);
    }
  });
});

describe("a hang", () => {
  test("fails with the streams that are stalled, since when, and who is not ready", async () => {
    const run = runBench("hang", fifo, { hangCycles: 200, wave: false }, async b => {
      const push = new StreamSource(b.sim, b.io.push);
      for (let i = 0; i < 600; i++) push.send(i);
      await push.drained();
    });
    await expect(run).rejects.toThrow(HangError);
    await expect(run).rejects.toThrow(
      "no stream has moved for 201 cycles:\n" +
        "  push: stalled since cycle 515: the bench offers, the design is not ready; 512 handshakes, the last at cycle 514\n" +
        "  pop: stalled since cycle 4: the design offers, the bench is not ready; no handshake so far\n" +
        "[hang: seed 1, cycle 715;",
    );
  });

  test("with nothing valid ends at the limit of cycles", async () => {
    await expect(
      runBench("idle", fifo, { limitCycles: 5000, wave: false }, async b => {
        await b.until(() => false);
      }),
    ).rejects.toThrow(
      "the bench has not ended after 5000 cycles (raise limitCycles if it needs more):\n" +
        "  push: idle, nothing valid from the bench, the design is ready; no handshake so far\n" +
        "  pop: idle, nothing valid from the design, nobody is ready; no handshake so far",
    );
  });
});

describe("a failure", () => {
  test("is run again with its seed, writing a wave", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-wave-"));
    const seeds: number[] = [];
    try {
      const run = runBench("counts up!", counter, { seed: 77, waveFolder: folder }, async b => {
        seeds.push(b.seed);
        b.io.en.value = 1;
        await b.cycles(40);
        expect(b.io.count.value).toBe(40);
      });
      await expect(run).rejects.toThrow(
        /\[counts up!: seed 77, cycle 42; MNEMO_SEED=77 runs it again; wave: .*counts-up--77\.vcd\]/,
      );
      expect(seeds).toEqual([77, 77]);
      const wave = join(folder, "counts-up--77.vcd");
      expect(existsSync(wave) && readFileSync(wave).length > 100).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("that is wanted is not run again", async () => {
    const seeds: number[] = [];
    const run = runBench("wanted", { ...counter, failureWanted: true }, { seed: 78 }, async b => {
      seeds.push(b.seed);
      await b.cycles(3);
      throw new Error("as it should");
    });
    await expect(run).rejects.toThrow(/as it should\n\[wanted: seed 78, cycle \d+; MNEMO_SEED=78 runs it again\]/);
    expect(seeds).toEqual([78]);
  });

  test("is told before the second run begins: a test's limit may cut that off", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-wave-"));
    const events: string[] = [];
    const said = vi.spyOn(process.stderr, "write").mockImplementation(text => {
      events.push(String(text));
      return true;
    });
    try {
      await expect(
        runBench("hidden", counter, { seed: 5, waveFolder: folder }, async b => {
          events.push("run");
          await b.cycles(3);
          throw new Error("the count is wrong");
        }),
      ).rejects.toThrow("the count is wrong");
    } finally {
      said.mockRestore();
      rmSync(folder, { recursive: true });
    }
    expect(events).toEqual([
      "run",
      "hidden failed at cycle 5 with seed 5: the count is wrong\n(running it again for its wave; MNEMO_WAVE=0 leaves that out)\n",
      "run",
    ]);
  });

  test("writes the wave of the run itself when given a path", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-wave-")),
      path = join(folder, "run.fst");
    let runs = 0;
    try {
      await runBench("good", counter, { wave: { path } }, async b => {
        await b.cycles(50);
      });
      expect(readFileSync(path).length).toBeGreaterThan(100);
      await expect(
        runBench("bad", counter, { wave: { path } }, async b => {
          runs++;
          await b.cycles(5);
          throw new Error("no");
        }),
      ).rejects.toThrow(`wave: ${path}]`);
      expect(runs).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("takes its seed from MNEMO_SEED, and refuses what is none", async () => {
    process.env["MNEMO_SEED"] = "4242";
    try {
      expect(
        await runBench("seed", counter, { seed: 1 }, async b => {
          await b.cycles(1);
          return b.seed;
        }),
      ).toBe(4242);
      process.env["MNEMO_SEED"] = "many";
      await expect(
        runBench("seed", counter, {}, async () => {
          /* not reached */
        }),
      ).rejects.toThrow(
        'MNEMO_SEED must be a whole number from 0 to 4294967295, got "many"; unset it or give such a number',
      );
    } finally {
      delete process.env["MNEMO_SEED"];
    }
  });

  test("that does not come back is said to depend on more than the seed", async () => {
    let first = true;
    const folder = mkdtempSync(join(tmpdir(), "mnemo-wave-"));
    try {
      await expect(
        runBench("flaky", counter, { waveFolder: folder }, async b => {
          await b.cycles(1);
          if (first) {
            first = false;
            throw new Error("once");
          }
        }),
      ).rejects.toThrow("but the second run passed: the bench depends on something besides its seed");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
