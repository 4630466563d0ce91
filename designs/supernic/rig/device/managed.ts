/** The software that manages the regions of a simulated device, over its registers. */
import { taskNamed } from "../../build/index.ts";
import type { SnicDriver } from "../../registers/index.ts";
import type { Task } from "../../rtl/index.ts";
import { type DagDriver, DagTable, RegionManager, Requests, type Setup, TaskRows } from "../../software/index.ts";
import { plainConfig } from "./bring-up.ts";

export interface ManagedRegions {
  readonly manager: RegionManager;
  readonly dags: DagTable;
  readonly requests: Requests;
  readonly rows: TaskRows;
}
export interface ManagedOptions {
  readonly bitstreams: readonly (readonly string[])[];
  readonly taskOf: ((name: string) => Task) | undefined;
  /** Nanoseconds since some start. */
  readonly time: () => number;
  readonly wait: () => Promise<void>;
}

export function managedRegions(driver: SnicDriver, setup: Setup, o: ManagedOptions): ManagedRegions {
  const { bitstreams, taskOf = taskNamed, time, wait } = o,
    labels = setup.regions.map(c => c?.labels ?? []);
  const access: DagDriver & { readonly region: SnicDriver["region"] } = {
    write: entry => driver.write([entry]),
    configure: c => driver.configure(plainConfig(c, setup.number)),
    region: r => driver.region(r),
  };
  const rows: TaskRows = new TaskRows(setup, access, () =>
    manager.places.map(p => (p.use === "free" ? [] : (p.chain?.tasks ?? []).map(t => t.name))),
  );
  const manager: RegionManager = new RegionManager(access, setup.chains, {
    time,
    wait,
    credits: setup.sizes.credits,
    slots: setup.sizes.slots,
    regions: Array.from({ length: setup.sizes.regions }, (_, r) => ({ labels: labels[r] ?? [], fixed: false })),
    bitstreams,
    declared: name => taskOf(name).declared,
    words: task => rows.words(task),
    loadOf: async r => (await driver.region(r)).sent,
  });
  const dags = new DagTable(setup, access, time),
    catalogue = [...new Set(bitstreams.flat())];
  return { manager, dags, requests: new Requests(setup, dags, manager, { catalogue }), rows };
}
