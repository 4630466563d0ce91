/** Clio-KV in the cycle-accurate node: clients on a bad network, memory by the slow path, page faults. */
import { describe, expect, it } from "vitest";
import { Client } from "../../../../designs/clio/client/index.ts";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { endToEnd } from "../../../../designs/clio/end-to-end/index.ts";
import { clientEndpoint } from "../../../../designs/clio/workload/index.ts";
import { ClientStation, joinNetwork, timeOf, withNode } from "../../../../designs/clio/rig/index.ts";
import { type LinkOptions, NetworkModel, Random } from "../../../../sim/index.ts";

const tenPercent: LinkOptions = { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1, reorderNs: 1500 };
const operations = Number(process.env["MNEMO_OPERATIONS"] ?? 1000);

describe("the node with Clio-KV", () => {
  for (const [name, link] of [
    ["a good network", {}],
    ["10 % loss, duplication, reordering and corruption each way", tenPercent],
  ] as const) {
    it(`${operations} operations of 6 clients, nearly all on few keys, ${name}: linearizable, nothing lost`, async ctx => {
      if (process.env["MNEMO_LONG"] === undefined)
        ctx.skip("builds and runs a whole node, a minute or two: MNEMO_LONG=1 runs it");
      const settings = makeSettings({ offloads: "kv" }),
        { runtime } = settings,
        seed = 5;
      await withNode("kv-node", settings, { seed, limitCycles: 2_000_000_000, wave: false }, async node => {
        const network = new NetworkModel(timeOf(node), { seed, link: { latencyNs: 200 } });
        joinNetwork(node, network, { out: link, in: link });
        const clients = Array.from({ length: 6 }, (_, i) => {
          const station = new ClientStation(
              network,
              `client${i}`,
              clientEndpoint(i),
              new Map([[runtime.ip, runtime.mac]]),
            ),
            random = new Random(seed * 1000 + i);
          return new Client({
            transport: station,
            clock: network.time,
            timeoutNs: settings.config.retryTimeout,
            random: () => random.fraction(),
          });
        });
        const r = await endToEnd({
          clients,
          address: { ip: runtime.ip, port: runtime.nativePort },
          seed,
          operations,
          keyValue: 0.9,
          atomics: 0.02,
          keys: 12,
        });
        expect(r.problems).toEqual([]);
        expect(r.operations).toBeGreaterThanOrEqual(operations);
        expect(r.done, JSON.stringify([...r.failed])).toBeGreaterThan(operations * 0.9);
        // The software has not had any of them.
        expect(Number((await node.counters()).extendRequests)).toBeGreaterThan(operations * 0.5);
      });
    });
  }
});
