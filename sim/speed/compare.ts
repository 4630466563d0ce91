import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ports } from "../../hdl-dsl/index.ts";
import { cxxReplay } from "../backend/verilator/cxx-replay.ts";
import { verilatorBackend } from "../backend/verilator/verilator.ts";
import type { Bench } from "../bench/bench.ts";
import { type BenchOptions, runBench } from "../bench/run-bench.ts";
import { designOf, type Dut } from "../design.ts";
import { SimulationError } from "../errors.ts";
import { simulate } from "../simulate.ts";
import { Recording } from "./recording.ts";
import { replay } from "./replay.ts";

/** Simulated cycles per second of the same cycles of the same compiled model, driven in three ways. */
export interface Speeds {
  /** Cycles that were compared. */
  readonly cycles: number;
  /** The bench as it is written, with its bus models and checks. */
  readonly bench: number;
  /** Its inputs played again from TypeScript, all ports written and read each cycle. */
  readonly typescript: number;
  /** The same by a plain C++ program. */
  readonly cxx: number;
}

/**
 * Runs a bench, records its inputs, and plays them again from TypeScript and from C++, by turns; the median of
 * `repeats` counts. Both must read the same outputs. Each figure is wall-clock: do it on a quiet machine. @throws
 * SimulationError when the outputs differ.
 */
export async function compareSpeed<P extends Ports>(
  dut: Dut<P>,
  options: BenchOptions & { readonly mostCycles?: number; readonly repeats?: number },
  body: (b: Bench<P>) => Promise<unknown>,
): Promise<Speeds> {
  const design = designOf(dut),
    seed = options.seed ?? 1,
    repeats = options.repeats ?? 3;
  if (design.emitted.ports.filter(p => p.role === "clock").length !== 1) {
    throw new SimulationError(
      `${design.emitted.top}: the speed of a design is compared with one clock; it has more, or none`,
    );
  }
  // The C++ program is Verilator's model, so TypeScript drives the same.
  const backend = options.backend ?? verilatorBackend,
    bench = { ...options, backend, seed, wave: false, resetCycles: 0 };
  const reset = async (b: Bench<P>): Promise<void> => {
    b.sim.reset(options.resetCycles ?? 2);
    await body(b);
  };
  const recording = await runBench("recording", design, bench, async b => {
    const r = new Recording(b.sim, options.mostCycles ?? 100_000);
    const remove = b.sim.onEdge(r);
    await reset(b);
    remove();
    return r;
  });
  const folder = mkdtempSync(join(tmpdir(), "mnemo-speed-")),
    file = join(folder, "inputs");
  try {
    const { rows } = recording;
    writeFileSync(file, new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength));
    const play = await cxxReplay(design.emitted);
    const speeds: { bench: number[]; typescript: number[]; cxx: number[] } = { bench: [], typescript: [], cxx: [] };
    for (let i = 0; i < repeats; i++) {
      const cxx = await play(file, recording.width, seed);
      using sim = await simulate(design, { seed, resetCycles: 0, backend });
      const ts = replay(sim, recording);
      if (ts.checksum !== cxx.checksum) {
        throw new SimulationError(
          `${design.emitted.top}: C++ and TypeScript read different outputs (${cxx.checksum}, ${ts.checksum}) from the same inputs`,
        );
      }
      speeds.cxx.push(recording.cycles / cxx.seconds);
      speeds.typescript.push(recording.cycles / ts.seconds);
      speeds.bench.push(
        await runBench("speed", design, bench, async b => {
          const start = performance.now();
          await reset(b);
          return b.cycle / ((performance.now() - start) / 1000);
        }),
      );
    }
    return {
      cycles: recording.cycles,
      bench: median(speeds.bench),
      typescript: median(speeds.typescript),
      cxx: median(speeds.cxx),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
