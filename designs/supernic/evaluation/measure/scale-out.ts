/**
 * Figure 5.20 on the device, at a tenth of its periods: fair shares in hardware hold two users, software sees what they
 * ask for, and a second instance is reprogrammed beside their traffic. What the epoch model is compared with.
 */
import { CheckFailed } from "../../../shared/command-line/index.ts";
import { deviceSizes } from "../../build/index.ts";
import { clockPeriod, makeParameters } from "../../config/index.ts";
import { epochModel } from "../../model/index.ts";
import { type SimulatedSuperNic, withDevice } from "../../rig/index.ts";
import { unitBits } from "../../rtl/index.ts";
import { Autoscaler, type EpochLoad, type LiveChain, ScalingLoop } from "../../software/index.ts";
import { tableWrite } from "../../wire/index.ts";
import { type Load, partOf, taskNames, taskUnits, userNames } from "../epochs/index.ts";
import { type FairScale, frameBytes, Offers, second, setupOf, slow, tell } from "./fair-step.ts";

/** Epochs of a MONITOR_PERIOD, and of a reprogramming: 0.5 ms of 20 us each. */
export const periodEpochs = 25;
const scale: FairScale = { epoch: 3_000, unit: 6.75 },
  /** NT2 is a chain of its own. */
  alone = 1;

export interface ScaleOutMeasured {
  /** Epochs from the first one in which the chain was overloaded to the one that begins its second instance. */
  readonly waited: number;
  /** Epochs from there until it was in use. */
  readonly reprogrammed: number;
  /** Units of each user in an epoch: with one instance, and with two. */
  readonly one: Load;
  readonly two: Load;
}
const unitBytes = scale.unit * frameBytes;
/** The device in the epoch model: NT2 by itself, the others in one chain. */
export const scaleOutModel: epochModel.EpochSizes = {
  epoch: scale.epoch * clockPeriod,
  drfTime: makeParameters().drfTime,
  reprogramTime: periodEpochs * scale.epoch * clockPeriod,
  monitorPeriod: periodEpochs * scale.epoch * clockPeriod,
  regions: 3,
  chains: [["NT1", "NT3", "NT4"], ["NT2"]],
  taskBytes: Object.fromEntries(taskNames.map((t, i) => [t, (taskUnits[i] ?? 0) * unitBytes])),
  laneBytes: 64 * scale.epoch,
  floor: makeParameters().mtuFrame,
};
/** Its users, who bring these loads for ever. */
export const scaleOutUsers = (load: Load, epochs: number): epochModel.EpochUser[] =>
  userNames.map(name => ({
    name,
    weight: 1,
    parts: Object.fromEntries(taskNames.map((t, i) => [t, partOf(name, i)])),
    endpoint: new epochModel.Endpoint({ loads: [load[name] * unitBytes], each: epochs }),
  }));
export const scaleOutUnit = unitBytes;
const { loadsOf, Shares } = epochModel,
  users = scaleOutUsers({ first: 0, second: 0 }, 1);

export async function measureScaleOut(seed: number, load: Load): Promise<ScaleOutMeasured> {
  const parameters = makeParameters({
      ports: 2,
      contexts: 64,
      cells: 256,
      regions: 3,
      slots: 3,
      branches: 2,
      users: 4,
      reprogramTime: periodEpochs * scale.epoch * clockPeriod,
    }),
    sizes = deviceSizes(parameters),
    setup = setupOf(1, sizes, scale);
  const options = { seed, wave: false, limitCycles: Infinity, bitstreams: [slow, second] };
  return withDevice("scale-out", setup, parameters, options, async device => {
    const { managed } = device;
    if (managed === undefined) throw new CheckFailed("the device's regions cannot be reprogrammed");
    await tell(device, setup, 1, sizes, scale);
    const offers = new Offers(device, scale),
      seen = new Asked(
        device,
        setup.users.map(u => u.number),
      ),
      loop = new ScalingLoop(managed.manager, seen, new Autoscaler(periodEpochs)),
      chain = managed.manager.chains.find(c => c.labels.join() === second.join());
    if (chain === undefined) throw new CheckFailed("NT2 has a chain");
    const instances = (): number => managed.manager.places.filter(p => p.use === "active" && p.chain === chain).length;
    const loading = (): boolean => managed.manager.places.some(p => p.use === "loading");
    let ends = device.bench.cycle;
    /** An epoch of load, then software looks. Its looks take time of the next epoch. @returns units of each user */
    const epoch = async (): Promise<Load> => {
      ends += scale.epoch;
      const cycles = ends - device.bench.cycle,
        denser = scale.epoch / cycles;
      await offers.run({ first: load.first * denser, second: load.second * denser }, cycles);
      const taken = await seen.taken();
      await loop.epoch();
      return taken;
    };
    const until = async (what: () => boolean): Promise<number> => {
      for (let n = 0; n < 3 * periodEpochs; n++) {
        if (what()) return n;
        await epoch();
      }
      throw new CheckFailed("the device does not scale out as it should");
    };
    const mean = async (epochs: number): Promise<Load> => {
      const sum = { first: 0, second: 0 };
      for (let i = 0; i < epochs; i++) {
        const taken = await epoch();
        for (const u of userNames) sum[u] += taken[u] / epochs;
      }
      return sum;
    };
    await until(() => seen.overloaded);
    // The look that found it is the first of the period.
    const settled = 12,
      measured = 10;
    await mean(settled);
    const one = await mean(measured),
      waited = 1 + settled + measured + (await until(loading)),
      reprogrammed = await until(() => instances() === 2);
    await device.driver.write([
      tableWrite("capacity", alone, {
        units: 2 * Math.floor((taskUnits[alone] ?? 0) * scale.unit * 64 * 2 ** unitBits),
        packets: 1,
      }),
    ]);
    await mean(settled);
    return { waited, reprogrammed, one, two: await mean(measured) };
  });
}

/** What users ask for in front of their meters, as the device's monitors have it, and which chains that overloads. */
class Asked {
  readonly #device: SimulatedSuperNic;
  readonly #users: readonly number[];
  readonly #shares = new Shares(scaleOutModel, users);
  /** The chain of NT2 was overloaded at the last look. */
  overloaded = false;

  constructor(device: SimulatedSuperNic, users: readonly number[]) {
    this.#device = device;
    this.#users = users;
  }
  async #read(what: "fairDemand" | "fairTaken"): Promise<readonly number[]> {
    const { registers } = this.#device.driver,
      read: number[] = [];
    for (const fairUser of this.#users) {
      await registers.write({ fairUser });
      await this.#device.bench.cycles(6);
      read.push((await registers.read(what)) / frameBytes / scale.unit);
    }
    return read;
  }
  async taken(): Promise<Load> {
    const [first = 0, second = 0] = await this.#read("fairTaken");
    return { first, second };
  }
  async epoch(chains: readonly LiveChain[]): Promise<ReadonlyMap<number, EpochLoad>> {
    const asked = (await this.#read("fairDemand")).map(units => Math.round(units * unitBytes)),
      instances = scaleOutModel.chains.map(c => chains.find(x => this.#nameOf(x) === c.join())?.regions.length ?? 0),
      rates = this.#shares.rates(asked, instances),
      needs = loadsOf(scaleOutModel, users, asked, rates, instances);
    const loads = new Map<number, EpochLoad>();
    for (const chain of chains) {
      const c = scaleOutModel.chains.findIndex(tasks => tasks.join() === this.#nameOf(chain)),
        demand = needs[c] ?? 0;
      if (chain.regions.length > 0) loads.set(chain.number, { demand, capacity: 1, instances: chain.regions.length });
      if (c === alone) this.overloaded = demand > chain.regions.length;
    }
    return loads;
  }
  /** A chain by the figure's names of its tasks. */
  #nameOf({ labels }: LiveChain): string {
    return (labels.join() === second.join() ? scaleOutModel.chains[1] : scaleOutModel.chains[0])?.join() ?? "";
  }
}
