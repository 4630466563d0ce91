/** The software that manages the regions of a simulated device, over its registers. */
import { taskNamed } from "../../build/index.ts";
import type { SnicDriver } from "../../registers/index.ts";
import { drfOf, type FairParameters, portResource, resourceAt, type Task, typesOf, unitBits } from "../../rtl/index.ts";
import {
  Autoscaler,
  type ChainGate,
  type DagDriver,
  DagTable,
  FairShares,
  IntendedMonitor,
  type MemoryGrants,
  RegionManager,
  RegionWays,
  Requests,
  type ResourceNumbers,
  ScalingLoop,
  type Setup,
  type SpillRings,
  StateMover,
  type SwapTimes,
  TaskRows,
  WaitingDags,
} from "../../software/index.ts";
import { plainConfig } from "./bring-up.ts";

export interface ManagedRegions {
  readonly manager: RegionManager;
  readonly dags: DagTable;
  readonly requests: Requests;
  readonly rows: TaskRows;
  readonly shares: FairShares;
  readonly waiting: WaitingDags;
  /** Of a device whose tasks have memory: who is behind the ways of regions. */
  readonly regionWays: RegionWays | undefined;
  /** Before frames come. */
  readonly start: () => Promise<void>;
  /** Launches chains for a frame that waits for them, if there is one. */
  readonly look: () => Promise<void>;
  /** Scales chains by what users intend. @param period epochs of a MONITOR_PERIOD */
  readonly scaling: (period: number) => ScalingLoop;
}
export interface ManagedOptions {
  readonly bitstreams: readonly (readonly string[])[];
  readonly taskOf: ((name: string) => Task) | undefined;
  /** Regions whose chains stay. */
  readonly stays: (region: number) => boolean;
  /** Whether a region can hold a bitstream. */
  readonly fits: (region: number, bitstream: number) => boolean;
  /** By region, its ways to memory. */
  readonly memoryWays: readonly (readonly number[])[];
  /** Of a device whose tasks have memory. */
  readonly memory?: MemoryGrants;
  /** Of a device with rings for frames of DAGs that wait. */
  readonly rings?: SpillRings;
  /** Nanoseconds since some start. */
  readonly time: () => number;
  readonly wait: () => Promise<void>;
  /** Sizes of the build, as its monitors know them. */
  readonly sizes: FairParameters;
  /** Nanoseconds for which a chain keeps its region. */
  readonly hold: number;
  readonly times: SwapTimes;
  /** The unit gives rates; software keeps its tables. */
  readonly fair: boolean;
}
/** How the build numbers what users share. */
export const resourceNumbers = (p: FairParameters): ResourceNumbers => ({
  types: typesOf(p),
  all: drfOf(p).resources,
  lane: resourceAt(p, "lane"),
  writes: resourceAt(p, "writes"),
  reads: resourceAt(p, "reads"),
  ports: Array.from({ length: p.ports }, (_, q) => portResource(p, q)),
  unit: 2 ** unitBits,
  users: p.users,
});

/** Ways of regions whose chains stay are given once for all. */
const swappedWays = ({ memoryWays, stays }: ManagedOptions): readonly (readonly number[])[] =>
  memoryWays.map((ways, r) => (stays(r) ? [] : ways));

export function managedRegions(driver: SnicDriver, setup: Setup, o: ManagedOptions): ManagedRegions {
  const { bitstreams, taskOf = taskNamed, time, wait } = o,
    labels = setup.regions.map(c => c?.labels ?? []),
    write: DagDriver["write"] = entry => driver.write([entry]);
  const shares: FairShares = new FairShares(setup, write, () => dags.dags, { resources: resourceNumbers(o.sizes) }),
    waiting: WaitingDags = new WaitingDags(
      { write, waiting: () => driver.waiting(), dagInside: d => driver.dagInside(d) },
      {
        dags: () => dags.dags,
        hasRegion: n => (manager.chains.find(c => c.number === n)?.regions.length ?? 0) > 0,
        time,
        wait,
        ...(o.rings && { rings: o.rings }),
      },
    );
  const gate: ChainGate = {
    close: (chain, drain) => waiting.close(chain, drain),
    open: async chain => {
      if (o.fair) await shares.changed(chain);
      await waiting.open(chain);
    },
    changed: chain => (o.fair ? shares.changed(chain) : Promise.resolve()),
  };
  const access: DagDriver & { readonly region: SnicDriver["region"] } = {
    write,
    configure: c => driver.configure(plainConfig(c, setup.number)),
    region: r => driver.region(r),
    added: async dag => {
      if (o.fair) await shares.added(dag);
      await waiting.admit(dag);
    },
    removed: dag => waiting.removed(dag),
  };
  const rows: TaskRows = new TaskRows(setup, access, () =>
    manager.places.map(p => (p.use === "free" ? [] : (p.chain?.tasks ?? []).map(t => t.name))),
  );
  const regionWays =
    o.memory && new RegionWays(o.memory, { ways: swappedWays(o), time, wait, patience: o.times.drain });
  const manager: RegionManager = new RegionManager(access, setup.chains, {
    time,
    wait,
    credits: setup.sizes.credits,
    slots: setup.sizes.slots,
    regions: Array.from({ length: setup.sizes.regions }, (_, r) => ({ labels: labels[r] ?? [], fixed: o.stays(r) })),
    bitstreams,
    fits: o.fits,
    ...(regionWays && { memory: regionWays }),
    declared: name => taskOf(name).declared,
    words: task => rows.words(task),
    loadOf: async r => (await driver.region(r)).sent,
    ...{ hold: o.hold, times: o.times },
    gate,
    state: new StateMover(
      {
        write,
        slot: (r, s) => driver.slot(r, s),
        readState: (r, s, at, last) => driver.readState(r, s, at, last),
        writeState: (r, s, word) => driver.writeState(r, s, word),
      },
      { time, wait, words: task => rows.words(task) },
    ),
  });
  const dags: DagTable = new DagTable(setup, access, time),
    // Behind the tasks of bitstreams those of chains that stay.
    staying = labels.flatMap((l, r) => (o.stays(r) ? l : [])),
    catalogue = [...new Set([...bitstreams.flat(), ...staying])],
    requests = new Requests(setup, dags, manager, {
      catalogue,
      ...(o.memory && { memory: o.memory }),
      ...(o.fair && { weigh: (user: number, weight: number) => shares.weigh(user, weight) }),
    });
  return {
    ...{ manager, dags, requests, rows, shares, waiting, regionWays },
    start: async () => {
      await manager.start();
      // What no region has at first waits from the first frame on.
      for (const dag of dags.dags) if (dag.peer === undefined) await waiting.admit(dag);
      if (!o.fair) return;
      await shares.start(manager.chains);
      await driver.registers.write({ fairHardware: 1 });
    },
    look: async () => {
      const dag = await waiting.look();
      if (dag !== undefined) void requests.launchFor(dag);
    },
    scaling: period =>
      new ScalingLoop(
        manager,
        new IntendedMonitor(
          { fair: (u, t) => driver.fair(u, t) },
          shares,
          setup.users.map(u => u.number),
        ),
        new Autoscaler(period),
      ),
  };
}
