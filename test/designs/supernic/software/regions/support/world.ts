/** A device of four regions in the model: what software needs to manage them. */
import { deviceSizes, taskNamed } from "../../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../../designs/supernic/config/index.ts";
import {
  type ChainMemory,
  DagTable,
  readSetup,
  RegionManager,
  Requests,
  type Setup,
  SnicSoftware,
  TaskRows,
} from "../../../../../../designs/supernic/software/index.ts";
import type { TableWrite } from "../../../../../../designs/supernic/wire/index.ts";
import { type ModelledOptions, ModelledRegions } from "./modelled-regions.ts";

export const catalogue = ["dummy", "checksum", "firewall", "balancer", "delay(4,8)"],
  bitstreams: readonly (readonly string[])[] = [
    ["dummy"],
    ["checksum"],
    ["firewall"],
    ["checksum", "dummy"],
    ["firewall", "checksum"],
    ["delay(4,8)"],
  ];
const parameters = makeParameters({ ports: 2, regions: 4, slots: 2, users: 4 });
export const keys = ["61".repeat(16), "62".repeat(16)] as const;
export const setup: Setup = readSetup(
  JSON.stringify({
    mac: "02:5e:00:00:00:ff",
    ip: "10.2.0.254",
    ports: [{ control: true }, { control: true }],
    stations: [0, 1].map(port => ({
      name: `host${port}`,
      mac: `02:5e:00:00:00:0${port + 1}`,
      ip: `10.2.0.${port + 1}`,
      port,
    })),
    users: [
      { name: "alice", key: keys[0] },
      { name: "bob", key: keys[1] },
    ],
    regions: [
      { chain: "plain", tasks: ["dummy"] },
      { chain: "sums", tasks: ["checksum"] },
    ],
    firewall: [{ user: "alice", toPort: 99, action: "drop" }],
    dags: [
      { name: "a", user: "alice", uid: 0x401, ports: [0], stages: [[{ chain: "plain" }]] },
      { name: "b", user: "bob", uid: 0x402, ports: [1], stages: [[{ chain: "sums" }]] },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);
export interface World {
  readonly regions: ModelledRegions;
  readonly manager: RegionManager;
  readonly requests: Requests;
  readonly dags: DagTable;
  readonly software: SnicSoftware;
  readonly loads: number[];
}
export function world(
  o: Partial<ModelledOptions> & {
    readonly victimLife?: number;
    readonly hold?: number;
    readonly rest?: number;
    readonly bitstreams?: typeof bitstreams;
    readonly fits?: (region: number, bitstream: number) => boolean;
    /** Made with the regions, whose log it may share. */
    readonly memory?: (regions: ModelledRegions) => ChainMemory;
  } = {},
): World {
  const regions = new ModelledRegions({ regions: 4, reprogramCycles: 5000, first: [1, 2, 0, 0], leaves: 10, ...o }),
    loads = [0, 0, 0, 0],
    time = (): number => regions.time;
  const driver = {
    write: (w: TableWrite) => regions.write(w),
    configure: () => Promise.resolve(),
    region: (r: number) => regions.region(r),
  };
  const rows: TaskRows = new TaskRows(setup, driver, () =>
      manager.places.map(p => p.chain?.tasks.map(t => t.name) ?? []),
    ),
    manager: RegionManager = new RegionManager(driver, setup.chains, {
      time,
      wait: regions.wait,
      credits: 24,
      slots: 2,
      regions: [["dummy"], ["checksum"], [], []].map(labels => ({ labels, fixed: false })),
      bitstreams: o.bitstreams ?? bitstreams,
      declared: name => taskNamed(name).declared,
      words: task => rows.words(task),
      loadOf: r => Promise.resolve(loads[r] ?? 0),
      victimLife: o.victimLife ?? 1e9,
      hold: o.hold ?? 0,
      ...(o.fits && { fits: o.fits }),
      ...(o.memory && { memory: o.memory(regions) }),
    });
  const dags = new DagTable(setup, driver, time, o.rest ?? 1000),
    requests = new Requests(setup, dags, manager, { catalogue });
  return {
    regions,
    manager,
    requests,
    dags,
    software: new SnicSoftware(setup, driver, time, { requests, rows }),
    loads,
  };
}
