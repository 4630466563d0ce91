/** The built-in simulator beside Verilator on the node: full, with one request at a time, idle; and block by block. */
import { connect, emit, fifo, module, sink, source, uint } from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  builtinBackend,
  builtinLoadMs,
  compareSimulatorSpeed,
  InstancesRecording,
  type Load,
  recordInputs,
  runBench,
  type SimulatorSpeeds,
} from "../../../../sim/index.ts";
import { clioNode } from "../../build/index.ts";
import type { Settings } from "../../config/index.ts";
import { type NodePorts, SimulatedNode } from "../../rig/index.ts";
import { Mixture } from "../../workload/index.ts";
import { drive } from "./speed.ts";

/** Cycles that are recorded at most, and those of the idle node. */
const MOST_CYCLES = 60_000,
  IDLE_CYCLES = 20_000;

/** A FIFO by itself. */
const Words = module(
  "Words",
  () => ({ enter: sink(uint(16)), leave: source(uint(16)) }),
  io => connect(fifo(io.enter, 64), io.leave),
);

export interface SimulatorFigures {
  readonly loads: readonly SimulatorSpeeds[];
  readonly blocks: readonly SimulatorSpeeds[];
  /** From the emitted node to a model, ms. */
  readonly loadMs: number;
  readonly fifoMs: number;
}

export async function compareNodeSimulators(settings: Settings, seed: number): Promise<SimulatorFigures> {
  const node = clioNode(settings.config),
    design = emit(node);
  const mixture = new Mixture(settings, { seed, silentShare: 0 }),
    setup = mixture.setup(),
    frames = Array.from({ length: 3000 }, () => mixture.next());
  const requests =
    (count: number, most: number): Load<NodePorts> =>
    (b, ready) =>
      drive(b, settings, setup, frames.slice(0, count), undefined, { most, ready });
  const loads: SimulatorSpeeds[] = [];
  for (const [name, load] of [
    ["full: 128 requests on their way", requests(3000, 128)],
    ["one request at a time", requests(150, 1)],
    [
      "idle",
      async (b: Bench<NodePorts>, ready: () => void) => {
        const n = await SimulatedNode.start(b, settings);
        ready();
        await b.cycles(IDLE_CYCLES);
        n.transport.close();
      },
    ],
  ] as const) {
    const inputs = await recordInputs(node, { seed, most: MOST_CYCLES }, load);
    loads.push(await compareSimulatorSpeed(name, design, inputs, { seed }));
  }
  return {
    loads,
    blocks: await compareBlocks(settings, seed, setup, frames.slice(0, 1500)),
    loadMs: builtinLoadMs(() => emit(clioNode(settings.config)), 3),
    fifoMs: builtinLoadMs(() => emit(Words())),
  };
}

/** The blocks of the node, each with what it was given while the node was full. */
async function compareBlocks(
  settings: Settings,
  seed: number,
  setup: readonly Uint8Array[],
  frames: readonly Uint8Array[],
): Promise<SimulatorSpeeds[]> {
  const recorded = await runBench(
    "blocks",
    clioNode(settings.config),
    { seed, hangCycles: 20_000, wave: false, resetCycles: 0, backend: builtinBackend, signals: true },
    async b => {
      const r = await InstancesRecording.of(b.sim, MOST_CYCLES);
      let from = 0;
      b.onEdge(r);
      b.sim.reset(2);
      await drive(b, settings, setup, frames, undefined, { ready: () => (from = r.cycles) });
      return r.recorded(from);
    },
  );
  const out: SimulatorSpeeds[] = [];
  for (const x of recorded)
    out.push(await compareSimulatorSpeed(`${x.name} (${x.module.split("_")[0] ?? ""})`, x.design, x.inputs, { seed }));
  return out;
}
