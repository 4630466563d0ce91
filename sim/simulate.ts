import type { Ports } from "../hdl-dsl/index.ts";
import type { Backend, ClockSetting } from "./backend/backend.ts";
import { backendForWave, chosenBackend, waveFormatOf } from "./backend/choose.ts";
import type { Checkpoint } from "./checkpoint/checkpoint.ts";
import { RecordedModel } from "./checkpoint/history.ts";
import { designOf, type Dut } from "./design.ts";
import { powerUpSeed } from "./seed.ts";
import { Simulation } from "./simulation.ts";
import { profileOf } from "./speed/profile.ts";
import { writeSaveFile } from "./wave/save-file.ts";

/** Seed, clocks, reset, wave and simulator of a run. */
export interface SimulateOptions {
  /** Seed of the run: initial values that the design leaves open, and `sim.random`. Default 1. */
  readonly seed?: number;
  /** Periods and phases by clock domain, ns. Default 4 ns, phase 0. */
  readonly clocks?: Readonly<Record<string, { readonly periodNs: number; readonly phaseNs?: number }>>;
  /** Edges of reset before the bench starts; default 2, 0 for none. */
  readonly resetCycles?: number;
  /**
   * Wave to write (this uses a build of its own, slower), from the given cycle on: `.vcd` by whichever simulator runs,
   * `.fst` by Verilator. Beside it stands `<wave>.gtkw`, which GTKWave opens with structs grouped and state machines by
   * the names of their states.
   */
  readonly wave?: { readonly path: string; readonly fromCycle?: number };
  /**
   * Begins at a checkpoint in place of a reset, also one of a build with or without a wave. `sim.restore` restores its
   * agents, once they have been made.
   */
  readonly checkpoint?: Checkpoint;
  /**
   * Keeps the inputs of at least the last `cycles` edges, so that `waveOf(sim, path)` writes their wave afterwards,
   * without a second run. The run costs a little more, and 8 bytes for each input that changes.
   */
  readonly history?: { readonly cycles: number };
  /**
   * Signals inside of the design can be read with `sim.signal("instance.name")`, and so be waited for. A build of its
   * own, of the built-in simulator, a little slower.
   */
  readonly signals?: boolean;
  /** Counts what each instance costs the built-in simulator, for `sim.profile()`: a build of its own. */
  readonly profile?: boolean;
  /** Simulator; by default the one that `MNEMO_BACKEND` names. */
  readonly backend?: Backend;
}

/** Builds the design (or finds it built), makes a model and resets it. Free it when done. */
export async function simulate<P extends Ports>(dut: Dut<P>, options: SimulateOptions = {}): Promise<Simulation<P>> {
  const design = designOf(dut);
  const trace = options.wave !== undefined && waveFormatOf(options.wave.path);
  const backend =
    trace === false ? (options.backend ?? chosenBackend) : backendForWave(trace, design.emitted, options.backend);
  const program = await backend.load(design.emitted, {
    trace,
    brief: design.brief === true,
    signals: options.signals === true,
    profile: options.profile === true,
  });
  const clocks: Record<string, ClockSetting> = {};
  for (const [name, c] of Object.entries(options.clocks ?? {})) {
    clocks[name] = { periodPs: Math.round(c.periodNs * 1000), phasePs: Math.round((c.phaseNs ?? 0) * 1000) };
  }
  const seed = options.seed ?? 1;
  const wave = options.wave && { path: options.wave.path, fromCycle: options.wave.fromCycle ?? 0 };
  const created = program.create({ seed: powerUpSeed(seed), clocks, ...(wave ? { wave } : {}) });
  // Told now: at the end of a long run it would be late.
  if (options.profile === true) profileOf(design.emitted.top, created.profile?.());
  const model = options.history === undefined ? created : new RecordedModel(created, options.history.cycles, clocks);
  if (wave && design.emitted.names !== undefined)
    writeSaveFile(design.emitted.names, wave.path, `TOP.${design.emitted.top}`);
  const sim = new Simulation(design, model, seed, clocks);
  if (options.checkpoint !== undefined) sim.restore(options.checkpoint, { agents: false });
  else if ((options.resetCycles ?? 2) > 0 && design.emitted.ports.some(p => p.role === "reset"))
    sim.reset(options.resetCycles ?? 2);
  return sim;
}
