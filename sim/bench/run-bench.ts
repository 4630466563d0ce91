import type { Ports } from "../../hdl-dsl/index.ts";
import { chosenBackend } from "../backend/choose.ts";
import { watchStreams } from "../bus/stream-watch.ts";
import { type Design, designOf, type Dut } from "../design.ts";
import { HangError } from "../errors.ts";
import { environment, say, waveFile } from "../host.ts";
import { powerUpSaid, seedFromEnvironment } from "../seed.ts";
import { simulate, type SimulateOptions } from "../simulate.ts";
import { waveOf } from "../checkpoint/wave-of.ts";
import type { Simulation } from "../simulation.ts";
import { Bench } from "./bench.ts";
import { Scheduler } from "./scheduler.ts";

/** Bounds, seed, waves and clocks of a bench. */
export interface BenchOptions extends Omit<SimulateOptions, "wave"> {
  /**
   * Cycles without a handshake on any stream, while something is valid, that count as a hang. Default 10,000;
   * 0 for never.
   */
  readonly hangCycles?: number;
  /** Cycles after which the bench has failed whatever it does. Default 1,000,000. */
  readonly limitCycles?: number;
  /**
   * Milliseconds after which the bench has failed, counted from when its model is ready: compiling a model for the
   * first time is not in it. 0 for never, the default of `runBench`; `benchWith` gives 60,000.
   */
  readonly timeoutMs?: number;
  /**
   * Whether a failure is run again, same seed, writing a wave. Default: yes unless `MNEMO_WAVE=0` is in the
   * environment, or the failure is wanted. A path instead writes the wave of this very run there, whatever comes of it,
   * and nothing is run again.
   */
  readonly wave?: boolean | { readonly path: string; readonly fromCycle?: number };
  /**
   * A failure's wave is then made from what was kept, without a second run: for a bench that takes long, or that does
   * not fail every time.
   */
  readonly history?: { readonly cycles: number };
  /** Folder for waves; default `out/waves` of the project. */
  readonly waveFolder?: string;
}

/** Cycles of a failing run that its wave covers. */
const WAVE_CYCLES = 50_000;

/** One run from a fresh model to its end. */
async function attempt<P extends Ports, T>(
  design: Design<P>,
  options: BenchOptions,
  seed: number,
  wave: SimulateOptions["wave"],
  body: (b: Bench<P>) => Promise<T>,
  ended: (sim: Simulation<P>) => void,
): Promise<T> {
  const sim = await simulate(design, { ...options, seed, wave } as SimulateOptions);
  const scheduler = new Scheduler(sim);
  const hang = options.hangCycles ?? 10_000,
    limit = options.limitCycles ?? 1_000_000;
  const watches =
    design.emitted.streams.length === 0
      ? []
      : sim.domains.map(d => watchStreams(sim, d.name, hang === 0 ? undefined : hang));
  scheduler.limit(
    limit,
    () =>
      new HangError(
        `the bench has not ended after ${limit} cycles (raise limitCycles if it needs more):\n${watches.map(w => w.describe()).join("\n")}`,
      ),
  );
  const { timeoutMs = 0 } = options;
  if (timeoutMs > 0)
    scheduler.deadline(
      timeoutMs,
      () =>
        new HangError(
          `the bench has not ended after ${timeoutMs / 1000} s, its model's compilation not counted (raise timeoutMs if it needs more):\n${watches.map(w => w.describe()).join("\n")}`,
        ),
    );
  try {
    return await scheduler.run(() => body(new Bench(sim, scheduler)));
  } finally {
    ended(sim);
    sim.free();
  }
}

/**
 * Runs a bench on a fresh model of the design. The seed is `MNEMO_SEED` of the environment, else that of the
 * options, else 1. A failure's message gains the seed and cycle, and the path of a wave from a second run with the
 * same seed.
 */
export async function runBench<P extends Ports, T>(
  name: string,
  dut: Dut<P>,
  options: BenchOptions,
  body: (b: Bench<P>) => Promise<T>,
): Promise<T> {
  const seed = seedFromEnvironment(options.seed ?? 1),
    design = designOf(dut);
  const given = typeof options.wave === "object" ? options.wave : undefined;
  let ended: Simulation<P> | undefined;
  try {
    return await attempt(design, options, seed, given, body, sim => {
      ended = sim;
    });
  } catch (e) {
    const cycle = ended?.cycle ?? 0;
    const error = e instanceof Error ? e : new Error(String(e));
    const again = options.wave ?? (design.failureWanted !== true && environment("MNEMO_WAVE") !== "0");
    // The second run may take as long as the first, or longer than the test's limit: what failed is told before it.
    if (given === undefined && again && options.history === undefined)
      say(
        `${name} failed at cycle ${cycle} with seed ${seed}: ${error.message}\n(running it again for its wave; MNEMO_WAVE=0 leaves that out)\n`,
      );
    const wave = given
      ? `wave: ${given.path}`
      : again
        ? await waveAgain(name, design, options, seed, ended, body)
        : undefined;
    const note = `\n[${name}: seed ${seed}, cycle ${cycle}; MNEMO_SEED=${seed}${powerUpSaid()} runs it again${wave === undefined ? "" : `; ${wave}`}]`;
    throw annotate(error, note);
  }
}

function annotate(error: Error, note: string): Error {
  const before = error.message;
  error.message += note;
  // The stack begins with the message as it was.
  if (error.stack?.includes(before)) error.stack = error.stack.replace(before, () => error.message);
  return error;
}

/**
 * Runs the failure again on the traced build: the bench, or what was kept of its inputs. @returns a phrase that names
 * the wave, or says why there is none.
 */
async function waveAgain<P extends Ports, T>(
  name: string,
  design: Design<P>,
  options: BenchOptions,
  seed: number,
  ended: Simulation<P> | undefined,
  body: (b: Bench<P>) => Promise<T>,
): Promise<string> {
  const format = (options.backend ?? chosenBackend).waveFormats(design.emitted)[0] ?? "vcd";
  const { path, shown } = waveFile(`${name.replace(/[^A-Za-z0-9]+/g, "-")}-${seed}.${format}`, options.waveFolder);
  const fromCycle = Math.max(0, (ended?.cycle ?? 0) - WAVE_CYCLES);
  try {
    if (options.history !== undefined && ended !== undefined) {
      const from = await waveOf(ended, path);
      return `wave: ${shown}${from > 0 ? ` from cycle ${from}` : ""}`;
    }
    await attempt(design, options, seed, { path, fromCycle }, body, () => {
      /* as before */
    });
  } catch (e) {
    if (e instanceof Error && e.name === "BuildError") return `no wave: ${e.message.split("\n")[0] ?? ""}`;
    return `wave: ${shown}${fromCycle > 0 ? ` from cycle ${fromCycle}` : ""}`;
  }
  return `wave: ${shown}, but the second run passed: the bench depends on something besides its seed`;
}

/** Part of a test framework that `benchWith` needs: vitest's `test` and others. */
export type Test = (name: string, body: () => Promise<void>, timeoutMs?: number) => unknown;

/** Milliseconds for compiling a model: the test framework's limit is that much later than the bench's own. */
const COMPILE_MS = 600_000;

/** Makes the `bench(name, design, options, body)` that registers benches with a test framework. */
export function benchWith(test: Test) {
  return <P extends Ports>(
    name: string,
    dut: Dut<P>,
    options: BenchOptions,
    body: (b: Bench<P>) => Promise<void>,
  ): void => {
    const { timeoutMs = 60_000 } = options;
    // Twice: a failure is run again for its wave.
    test(name, () => runBench(name, dut, { ...options, timeoutMs }, body), COMPILE_MS + 2 * timeoutMs);
  };
}
