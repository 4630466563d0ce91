/** A node with the table: what counts as a write of a region, as software finds it by scans. */
import { expect, test } from "vitest";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { Client } from "../../../../../designs/clio/client/index.ts";
import { makeSettings, regionEntry } from "../../../../../designs/clio/config/index.ts";
import { ClientStation, joinNetwork, timeOf, withNode } from "../../../../../designs/clio/rig/index.ts";
import { clientEndpoint } from "../../../../../designs/clio/workload/index.ts";
import { designOf, NetworkModel, Random } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const settings = makeSettings({
  dataWidth: 256,
  pageSize: "4KB",
  physicalMemory: "64MB",
  tlbEntries: 16,
  outstandingMisses: 4,
  requestSlots: 16,
  freePageBuffer: 8,
  activityRegions: 64,
});
const regions = [1, 2, 3, 4],
  page = 4096n;
/** ns of a tick and a little more: each operation is in a tick of its own. */
const tickNs = 4200;

/** Operations on regions, one after another; after each, a scan must name the region that was written longest ago. */
const operate = (design = designOf(clioNode(settings.config)), steps = 18): Promise<void> =>
  withNode("activity", settings, { design, seed: 4, wave: false, limitCycles: 1e6 }, async node => {
    const network = new NetworkModel(timeOf(node), { seed: 4, link: { latencyNs: 200 } });
    joinNetwork(node, network);
    const random = new Random(4),
      { runtime } = settings,
      own = clientEndpoint(0),
      client = new Client({
        transport: new ClientStation(network, "client", own, new Map([[runtime.ip, runtime.mac]])),
        clock: network.time,
        pageSize: Number(page),
        random: () => random.fraction(),
      });
    const at = { ip: runtime.ip, port: runtime.nativePort },
      { pid } = await client.createProcess(at),
      thread = client.process(pid, at).thread(),
      activity = node.transport.activity!,
      entryOf = (region: number): number => regionEntry({ pid, region }, 6),
      firstOf = (region: number): bigint => BigInt(region) << 30n;
    // The first page of each region may be written, the second not; the third has a pointer to the next region.
    for (const region of regions) {
      const address = firstOf(region);
      await thread.ralloc(page, { address, populate: true });
      await thread.ralloc(page, { address: address + page, writable: false, populate: true });
      await thread.ralloc(page, { address: address + 2n * page, populate: true });
      const pointer = new Uint8Array(8);
      new DataView(pointer.buffer).setBigUint64(0, firstOf((region % 4) + 1), true);
      await thread.rwrite(address + 2n * page, pointer);
    }
    const order: number[] = [];
    const wait = (): Promise<void> =>
      new Promise(resolve => {
        network.time.after(tickNs, resolve);
      });
    for (const region of regions) {
      await activity.enroll(entryOf(region));
      order.push(region);
      await wait();
    }
    const written = (region: number): void => {
      order.push(...order.splice(order.indexOf(region), 1));
    };
    for (let i = 0; i < steps; i++) {
      // The oldest more often: a write of it shows at once.
      const region = random.chance(0.6) ? order[0]! : random.pick(regions),
        va = firstOf(region);
      switch (i % 6) {
        case 0:
          await thread.rwrite(va + BigInt(random.below(4000)), random.bytes(random.between(1, 90)));
          written(region);
          break;
        case 1:
          await thread.rread(va, 64);
          break;
        case 2:
          await thread.fetchAndAdd(va + 8n, 3n);
          written(region);
          break;
        case 3:
          await expect(thread.rwrite(va + page, random.bytes(8))).rejects.toThrow("WRITE_PERM");
          break;
        case 4:
          await thread.derefWrite(va + 2n * page, random.bytes(8));
          written((region % 4) + 1);
          break;
        default:
          await expect(thread.rwrite(va + 8n * page, random.bytes(8))).rejects.toThrow("INVALID");
      }
      await wait();
      const found = await activity.scan();
      if (found !== entryOf(order[0]!))
        throw new Error(`step ${i}: entry ${found} was written longest ago, and region ${order[0]} says the model`);
    }
    await node.settled();
  });

test("writes and atomics that were done count, for the region that they reached, and nothing else does", () =>
  operate());
test.each([
  ["reads count", /wire noted_write = [^;]*;/, "wire noted_write = 1'b1;"],
  ["refused writes count", /wire access_done = (\w+) & [^;]*;/, "wire access_done = $1;"],
])("a planted fault is found: %s", (_what, from, to) =>
  findsFault(operate(plant(designOf(clioNode(settings.config)), from, to)), /step/),
);
