/**
 * A client of CLib over Go-Back-N, a sNIC that ends its sessions, and a memory node without Go-Back-N. The client's
 * line loses and doubles; each operation is done once, and none is lost.
 */
import { expect, it } from "vitest";
import { withRack } from "../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../designs/rack/setup/index.ts";
import { Client, GoBackNTransport } from "../../../../designs/clio/client/index.ts";
import { partitionsOf } from "../../../../designs/clio/config/index.ts";
import { Random } from "../../../../sim/index.ts";
import { ran } from "./rack.ts";

const operations = Number(process.env["MNEMO_OPERATIONS"] ?? 40);
/** One node behind one sNIC, and an endpoint whose line loses and doubles. */
const planOf = (program: object) =>
  readRack(
    JSON.stringify({
      devices: [
        {
          name: "snic0",
          set: { ports: 2, regions: 1, slots: 1, branches: 1, contexts: 64, cells: 128, users: 2 },
          setup: {
            ...{ mac: "02:5c:00:00:00:01", ip: "10.20.0.1", users: [{ name: "memory" }] },
            gbnNodes: [{ station: "mem0", user: "memory" }],
            regions: [{ chain: "sessions", tasks: ["go_back_n"] }],
            dags: [{ name: "reliable", user: "memory", uid: "0x0401", stages: [[{ chain: "sessions" }]] }],
            rules: [{ protocol: 17, action: { dag: "reliable" } }],
          },
        },
      ],
      nodes: [{ name: "mem0", mac: "02:c1:10:00:00:01", ip: "10.20.2.1", set: {} }],
      endpoints: [{ name: "host0", mac: "02:10:00:00:00:01", ip: "10.20.1.1", program }],
      links: [{ between: ["host0", "snic0:0"], loss: 0.05, duplicate: 0.05 }, { between: ["snic0:1", "mem0"] }],
    }),
    "sessions",
  );
const plan = planOf({ kind: "capture" });

// A node and a sNIC are built for it: MNEMO_LONG=1 runs it.
it.skipIf(process.env["MNEMO_LONG"] !== "1")(
  "CLib's own client works over Go-Back-N through a sNIC, with a node that has none",
  () =>
    withRack(plan, { seed: 1 }, async rack => {
      const endpoint = rack.endpoint("host0"),
        random = new Random(5),
        { config, runtime } = rack.node("mem0").settings,
        address = { ip: runtime.ip, port: runtime.nativePort },
        clock = rack.clockwork.time;
      const transport = new GoBackNTransport(endpoint.transport(40_000), {
          ...{ clock, timeoutNs: 40_000, ackDelayNs: 6000, random: () => random.fraction() },
        }),
        client = new Client({
          ...{ transport, clock, pageSize: config.pageSize, partitions: partitionsOf(config) },
          // Go-Back-N repeats what is lost: the client's own repetitions would hide it.
          ...{ timeoutNs: 3_000_000, slowTimeoutNs: 6_000_000, targetDelayNs: 0.75 * config.retryTimeout },
          random: () => random.fraction(),
        });
      const process = await client.createProcess(address),
        thread = process.thread(),
        bytes = 4096,
        va = await thread.ralloc(bytes),
        expected = new Uint8Array(bytes);
      let counted = 0;
      for (let i = 0; i < operations; i++) {
        if (i % 4 === 0) {
          expect(await thread.fetchAndAdd(va, 1n)).toBe(BigInt(counted++));
          continue;
        }
        const at = random.between(8, bytes - 1200),
          data = random.bytes(random.pick([1, 16, 64, 300, 1100]));
        await thread.rwrite(va + BigInt(at), data);
        expected.set(data, at);
        if (i % 3 === 0) expect(await thread.rread(va + BigInt(at), data.length)).toEqual(data);
      }
      new DataView(expected.buffer).setBigUint64(0, BigInt(counted), true);
      expect(Buffer.from(await thread.rread(va, bytes)).equals(Buffer.from(expected))).toBe(true);
      expect(transport.sessionOf(address)).toBeGreaterThan(0);
      expect(transport.resent).toBeGreaterThan(0);
      transport.close();

      const { devices, nodes, problems } = await rack.finish();
      expect(problems).toEqual([]);
      expect(client.pending).toBe(0);
      // No request came twice, so none was answered from what the node keeps of those that it did.
      expect(Number(nodes.get("mem0")?.retriesAnswered ?? 0)).toBe(0);
      expect(devices.get("snic0")?.middle["dropTask"]).toBeGreaterThan(operations);
    }),
);

it.skipIf(process.env["MNEMO_LONG"] !== "1")(
  "so do the clients of a rack's own program: linearizable, nothing is done twice, and the model knows each frame",
  async () => {
    const program = { kind: "clib", node: "mem0", operations, clients: 2, mostBytes: 1200, transport: "gbn" },
      { problems, repetitions, lost } = await ran(planOf({ ...program, softwareTimeoutNs: 6_000_000 }));
    expect(problems).toEqual([]);
    expect(repetitions).toBe(0);
    expect(lost).toBeGreaterThan(0);
  },
);
