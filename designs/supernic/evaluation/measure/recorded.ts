/** What comes into a device cycle by cycle, recorded to be played again: the simulator's own speed is measured so. */
import { type Inputs, recordInputs } from "../../../../sim/index.ts";
import { makeParameters } from "../../config/index.ts";
import { deviceDefinition, SimulatedSuperNic } from "../../rig/index.ts";
import { dummies } from "./core.ts";
import { frameFor, latencyOf, setupOf } from "./measured-device.ts";
import { rateOf } from "./rate.ts";

const chain = {
    set: {},
    regions: [{ chain: "four", tasks: dummies(4) }],
    dags: [{ name: "four", stages: [[{ chain: "four" }]] }],
  },
  dag = 0,
  least = 64;
/** Cycles that are recorded at most, and those of the idle device; frames at each port, and one after the other. */
const most = 40_000,
  idleCycles = 20_000,
  frames = 1500,
  single = 60;

interface RecordedLoad {
  readonly name: string;
  /** Cycles of the built-in simulator for each of Verilator's. */
  readonly goal: number;
  readonly inputs: Inputs;
}

/** A device with a chain of four dummies, full, with one frame at a time, and idle. */
export async function recordedLoads(seed: number) {
  const parameters = makeParameters(chain.set),
    setup = setupOf(chain, parameters),
    device = () => deviceDefinition(setup, parameters),
    ports = parameters.ports;
  const loads: RecordedLoad[] = [];
  const record = async (name: string, goal: number, load: (d: SimulatedSuperNic) => Promise<unknown>) => {
    const inputs = await recordInputs(device(), { seed, most }, async (bench, ready) => {
      const simulated = new SimulatedSuperNic(bench, setup, parameters, { backToBack: true });
      await simulated.bringUp();
      ready();
      await load(simulated);
    });
    loads.push({ name, goal, inputs });
  };
  await record("full: frames of 64 bytes at all ports", 1.3, d => rateOf(d, { dag, size: least, ports, frames }));
  await record("one frame at a time", 4, async d => {
    for (let i = 0; i < single; i++) await latencyOf(d, frameFor(dag, { size: least, from: 0, ports }));
  });
  await record("idle", 10, d => d.bench.cycles(idleCycles));
  return { device, loads };
}
