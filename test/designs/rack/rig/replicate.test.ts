/**
 * A client of CLib, a sNIC that replicates, and three memory nodes: all that changes memory goes to each of them, reads
 * go to one. The client's line doubles and loses frames, one node's loses a tenth, and in the end a node is gone.
 */
import { expect, it } from "vitest";
import { type RackEndpoint, type RunningRack, withRack } from "../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../designs/rack/setup/index.ts";
import { Client, type ClientTransport } from "../../../../designs/clio/client/index.ts";
import { partitionsOf } from "../../../../designs/clio/config/index.ts";
import { opcode } from "../../../../designs/clio/wire/index.ts";
import { Random } from "../../../../sim/index.ts";

const operations = Number(process.env["MNEMO_OPERATIONS"] ?? 40),
  names = ["mem0", "mem1", "mem2"];
const plan = readRack(
  JSON.stringify({
    devices: [
      {
        name: "snic0",
        set: { ports: 4, regions: 1, slots: 1, branches: 1, contexts: 64, cells: 128, users: 2 },
        setup: {
          ...{ mac: "02:5c:00:00:00:01", ip: "10.20.0.1", users: [{ name: "memory" }] },
          replicas: [{ name: "three", user: "memory", nodes: names }],
          // Longer than the run: the model beside the device has no time.
          replicaLife: 16_384,
          regions: [{ chain: "copies", tasks: ["replicate"] }],
          dags: [{ name: "copied", user: "memory", uid: "0x0401", stages: [[{ chain: "copies", arg: "three" }]] }],
          rules: [{ protocol: 17, action: { dag: "copied" } }],
        },
      },
    ],
    nodes: names.map((name, n) => ({ name, mac: `02:c1:10:00:00:0${n + 1}`, ip: `10.20.2.${n + 1}`, set: {} })),
    endpoints: [{ name: "host0", mac: "02:10:00:00:00:01", ip: "10.20.1.1", program: { kind: "capture" } }],
    links: [
      { between: ["host0", "snic0:0"], loss: 0.05, duplicate: 0.03 },
      { between: ["snic0:1", "mem0"] },
      { between: ["snic0:2", "mem1"], loss: 0.1 },
      { between: ["snic0:3", "mem2"] },
    ],
  }),
  "replicas",
);

/** All but reads asks for copies: byte 4 of Clio's header has the flag. */
const replicating = (under: ClientTransport): ClientTransport => ({
  send: (to, payload) => {
    const copy = Uint8Array.from(payload);
    if (copy[3] !== opcode.READ) copy[4] = (copy[4] ?? 0) | 0x20;
    under.send(to, copy);
  },
  receive: receiver => under.receive(receiver),
});
/** The client gives up after two repetitions; the program does what is the same twice until it is answered. */
async function again(operation: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++)
    try {
      await operation();
      return;
    } catch (error) {
      if (tries > 10) throw error;
    }
}
function clientOf(rack: RunningRack, endpoint: RackEndpoint, port: number, copies: boolean): Client {
  const { config } = rack.node("mem0").settings,
    random = new Random(port),
    transport = endpoint.transport(port);
  return new Client({
    transport: copies ? replicating(transport) : transport,
    clock: rack.clockwork.time,
    timeoutNs: config.retryTimeout,
    targetDelayNs: 0.75 * config.retryTimeout,
    slowTimeoutNs: 60_000,
    pageSize: config.pageSize,
    partitions: partitionsOf(config),
    random: () => random.fraction(),
  });
}

// Three nodes and a sNIC are built for it: MNEMO_LONG=1 runs it.
it.skipIf(process.env["MNEMO_LONG"] !== "1")(
  "what was answered is at every node, once; with a node gone nothing is answered, and the others have all",
  () =>
    withRack(plan, { seed: 1 }, async rack => {
      const endpoint = rack.endpoint("host0"),
        random = new Random(5),
        address = (name: string) => {
          const { runtime } = rack.node(name).settings;
          return { ip: runtime.ip, port: runtime.nativePort };
        };
      const client = clientOf(rack, endpoint, 40_000, true),
        plain = clientOf(rack, endpoint, 40_001, false),
        process = await client.createProcess(address("mem0")),
        thread = process.thread(),
        bytes = 4096,
        va = await thread.ralloc(bytes),
        expected = new Uint8Array(bytes);
      let counted = 0;
      for (let i = 0; i < operations; i++) {
        if (i % 4 === 0) {
          // One that the client gives up may have been done, at some nodes: all others are done once, in their order.
          const before = await thread.fetchAndAdd(va, 1n).catch(() => undefined);
          if (before !== undefined) expect(before).toBe(BigInt(counted++));
          else await again(() => thread.atomicStore(va, BigInt(counted)));
          continue;
        }
        const at = random.between(8, bytes - 1200),
          data = random.bytes(random.pick([1, 16, 64, 300, 1100]));
        await again(() => thread.rwrite(va + BigInt(at), data));
        expected.set(data, at);
        if (i % 3 === 0) expect(await thread.rread(va + BigInt(at), data.length)).toEqual(data);
      }
      new DataView(expected.buffer).setBigUint64(0, BigInt(counted), true);
      const holds = async (name: string): Promise<void> => {
        const there = await plain.process(process.pid, address(name), process.key).thread().rread(va, bytes);
        expect(Buffer.from(there).equals(Buffer.from(expected)), name).toBe(true);
      };
      for (const name of names) await holds(name);

      // A node is gone: what goes to it is lost.
      Object.assign(rack.node("mem2").jack, { arrive: () => undefined });
      await expect(thread.rwrite(va + 2000n, new Uint8Array(8).fill(1))).rejects.toThrow();
      expected.fill(1, 2000, 2008);
      for (const name of ["mem0", "mem1"]) await holds(name);

      const { nodes, problems } = await rack.finish();
      // The rack sees that a node was cut off, and nothing else.
      expect(problems).toEqual([expect.stringMatching(/^mem2: frames out of the line: /)]);
      expect([client.pending, plain.pending]).toEqual([0, 0]);
      expect(names.map(n => Number(nodes.get(n)?.retriesAnswered ?? 0)).some(n => n > 0)).toBe(true);
    }),
);
