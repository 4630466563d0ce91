/** Two users that share four tasks (figure 5.20, its part without reprogramming): what the loop gives each of them. */
import { deviceSizes, taskNamed } from "../../build/index.ts";
import { drfFormat, makeParameters } from "../../config/index.ts";
import { drfExact, type DrfProblem, toNumber, zero } from "../../drf/index.ts";
import { type SimulatedSuperNic, withDevice } from "../../rig/index.ts";
import { drfOf, resourceAt, unitBits } from "../../rtl/index.ts";
import { readSetup, type Setup } from "../../software/index.ts";
import { putShims, tableWrite } from "../../wire/index.ts";
import { filler, shim, udp } from "../../workload/index.ts";
import { type Load, mixes, partOf, taskUnits, type UserName, userNames } from "../epochs/index.ts";

/** Bytes of a frame. */
export const frameBytes = 1_024;
/** Cycles of an epoch, and packets in it that make a unit. */
export interface FairScale {
  readonly epoch: number;
  readonly unit: number;
}
const usual: FairScale = { epoch: 5_000, unit: 11.25 };
/** Tasks take a packet in 40 cycles, the third in 57: a tenth more than what is given out. */
export const slow = ["delay(1,40)", "delay(1,57)", "delay(1,40)"],
  second = ["delay(1,40)"];
/** Places of the tasks in the first chain; the second task has a chain of its own, of one instance or two. */
const placeInFirst = [0, undefined, 1, 2];

export interface FairMeasured {
  /** Units of each user in an epoch: what the device let in, and what is exact. */
  readonly here: Load;
  readonly exact: Load;
}
const hosts = [1, 2].map(n => ({ mac: 0x025d_0000_0000n + BigInt(n), ip: 0x0a03_0000 + n }));
const uidOf = (user: number, dag: number): number => 0x401 + 16 * user + dag;

export function setupOf(instances: number, sizes: ReturnType<typeof deviceSizes>, { epoch }: FairScale): Setup {
  const stagesOf = (tasks: readonly number[]) => {
    const run = tasks.flatMap(t => placeInFirst[t] ?? []).sort((a, b) => a - b);
    return [
      ...(tasks.includes(1) ? [[{ chain: "second" }]] : []),
      ...(run.length > 0 ? [[{ chain: "others", run }]] : []),
    ];
  };
  const file = {
    mac: "02:5d:00:00:00:ff",
    ip: "10.3.0.254",
    ports: [{}, {}],
    epoch,
    stations: hosts.map((_, i) => ({
      name: `host${i}`,
      mac: `02:5d:00:00:00:0${i + 1}`,
      ip: `10.3.0.${i + 1}`,
      port: i,
    })),
    users: userNames.map((name, i) => ({ name, class: i, bytesPerEpoch: 4_000 })),
    regions: [
      { chain: "others", tasks: slow },
      ...Array.from({ length: instances }, () => ({ chain: "second", tasks: second })),
    ],
    dags: userNames.flatMap((user, u) =>
      mixes[user].map((tasks, d) => ({ name: `${user}${d}`, user, uid: uidOf(u, d), stages: stagesOf(tasks) })),
    ),
  };
  return readSetup(JSON.stringify(file), "figure 5.20", sizes, t => taskNamed(t).declared);
}

/** The question in exact fractions: no floors, and what the tasks can do. */
function exactOf(load: Load, instances: number): Load {
  const scale = 2 ** drfFormat.vectorFraction,
    problem: DrfProblem = {
      floor: 0,
      capacities: taskUnits.map((n, t) => n * scale * (t === 1 ? instances : 1)),
      users: userNames.map(u => ({
        weight: 1,
        demand: load[u] * scale,
        vector: taskUnits.map((_, t) => partOf(u, t) * scale),
      })),
    };
  const { shares } = drfExact(problem),
    of = (i: number): number => toNumber(shares[i]?.wanted ?? zero) / scale;
  return { first: of(0), second: of(1) };
}

/** Offers loads, frame by frame as evenly as can be. */
export class Offers {
  readonly #device: SimulatedSuperNic;
  #number = 0;
  readonly #owed = { first: 0, second: 0 };
  readonly #sent = { first: 0, second: 0 };
  readonly #scale: FairScale;
  constructor(device: SimulatedSuperNic, scale: FairScale) {
    this.#device = device;
    this.#scale = scale;
    device.bench.onEdge({
      sample: () => {
        while (device.take() !== undefined);
      },
    });
  }
  async run(load: Load, cycles: number): Promise<void> {
    const step = 100,
      { unit, epoch } = this.#scale;
    for (let at = 0; at < cycles; at += step) {
      for (const [port, user] of userNames.entries()) {
        this.#owed[user] += (load[user] * unit * step) / epoch;
        for (; this.#owed[user] >= 1; this.#owed[user]--) this.#device.send(port, this.#frame(user, port));
      }
      await this.#device.bench.cycles(step);
    }
  }
  #frame(user: UserName, port: number): Uint8Array {
    const [from, to] = port === 0 ? hosts : [...hosts].reverse(),
      headers = 42;
    if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
    const dag = this.#sent[user]++ % mixes[user].length;
    return putShims(
      udp(from, to, { from: 5_000 + (this.#number % 16), to: this.#number++ & 0xffff }, filler(frameBytes - headers)),
      {
        snic: shim(uidOf(port, dag)),
      },
    );
  }
}

/** What software says of tasks, weights, and what each DAG uses. */
export async function tell(
  { driver }: SimulatedSuperNic,
  setup: Setup,
  instances: number,
  sizes: ReturnType<typeof deviceSizes>,
  { epoch, unit }: FairScale,
) {
  const packetBytes = 64,
    { resources } = drfOf(sizes),
    capacity = (j: number): number => {
      const units = taskUnits[j];
      if (units !== undefined)
        return Math.floor(units * unit * packetBytes * 2 ** unitBits) * (j === 1 ? instances : 1);
      return j === resourceAt(sizes, "lane") ? 64 * epoch * 2 ** unitBits : 0;
    };
  await driver.write([
    ...Array.from({ length: resources }, (_, j) =>
      tableWrite("capacity", j, { units: capacity(j), packets: j < taskUnits.length ? 1 : 0 }),
    ),
    ...setup.users.map(({ number }) => tableWrite("weight", number, { weight: 1 })),
    ...userNames.flatMap((user, u) =>
      mixes[user].map((tasks, d) => {
        const dag = setup.dags.find(g => g.uid === uidOf(u, d));
        return tableWrite("dagUse", dag?.number ?? 0, Object.fromEntries(tasks.map(t => [`uses${t}`, 1])));
      }),
    ),
  ]);
  await driver.registers.write({ fairHardware: 1 });
}

/** Runs loads one after the other. @returns what each user brought in an epoch of each, when that is steady */
export async function measureFairStep(
  seed: number,
  loads: readonly Load[],
  instances: number,
  epochs: number,
): Promise<readonly FairMeasured[]> {
  const parameters = makeParameters({
      ports: 2,
      contexts: 64,
      cells: 256,
      regions: 3,
      slots: 3,
      branches: 2,
      users: 4,
    }),
    sizes = deviceSizes(parameters),
    { epoch, unit } = usual,
    setup = setupOf(instances, sizes, usual),
    settled = 12;
  return withDevice("fair step", setup, parameters, { seed, wave: false, limitCycles: Infinity }, async device => {
    await tell(device, setup, instances, sizes, usual);
    const offers = new Offers(device, usual),
      measured: FairMeasured[] = [];
    for (const load of loads) {
      await offers.run(load, settled * epoch);
      const taken = { first: 0, second: 0 };
      for (let i = 0; i < epochs; i++) {
        for (const [u, user] of userNames.entries()) {
          await device.driver.registers.write({ fairUser: setup.users[u]?.number ?? 0 });
          taken[user] += await device.driver.registers.read("fairTaken");
        }
        await offers.run(load, epoch);
      }
      const units = (bytes: number): number => bytes / frameBytes / unit / epochs;
      measured.push({
        here: { first: units(taken.first), second: units(taken.second) },
        exact: exactOf(load, instances),
      });
    }
    return measured;
  });
}
