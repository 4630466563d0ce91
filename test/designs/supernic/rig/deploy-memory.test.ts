/** A device of which two chains stay beside those that come and go: users deploy a KV cache and replication. */
import { expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { leftAtRest, unaccounted, withDevice } from "../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../designs/supernic/software/index.ts";
import {
  addDagBody,
  bindBody,
  ctrlOpcode,
  dagBranchBody,
  dagNameBody,
  deployBody,
  kvTick,
} from "../../../../designs/supernic/wire/index.ts";
import { concat, decode, encode, internetChecksum } from "../../../../designs/shared/wire/index.ts";
import { clientOf, node, nodePort, nodeReply, parsed, requestFrame } from "../rtl/tasks/kv-cache/support/kv-frames.ts";
import { isPause } from "./support/pauses.ts";

const parameters = makeParameters({
    ...{ ports: 3, contexts: 32, cells: 64, regions: 3, slots: 1, branches: 2, credits: 4, users: 4 },
    ...{ pageSize: "16KB", memory: "512MB", reprogramTime: 10_000 },
  }),
  client = clientOf(1),
  other = { mac: node.mac + 1n, ip: node.ip + 1 },
  life = 8,
  cache = "kv_lru(64)",
  bitstreams = [["dummy"], ["checksum"]],
  catalogue = ["dummy", "checksum", cache, "replicate"];
const mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":"),
  ip = (n: number): string => [24, 16, 8, 0].map(s => (n >>> s) & 255).join(".");
const setup = readSetup(
  JSON.stringify({
    ...{ mac: "02:5e:00:00:00:ff", ip: "10.9.0.254", ports: [{}, {}, {}] },
    stations: [
      { name: "client", mac: mac(client.mac), ip: ip(client.ip), port: 0 },
      { name: "node", mac: mac(node.mac), ip: ip(node.ip), port: nodePort },
      { name: "other", mac: mac(other.mac), ip: ip(other.ip), port: 2 },
    ],
    // The cache takes 64 KB.
    users: [
      { name: "store", memory: 65_536, key: "61".repeat(16) },
      { name: "poor", memory: 16_384, key: "62".repeat(16) },
    ],
    kvNode: { station: "node", user: "store", life },
    replicas: [{ name: "both", user: "store", nodes: ["other", "node"] }],
    regions: [
      { chain: "cache", tasks: [cache] },
      { chain: "copies", tasks: ["replicate"] },
      { chain: "plain", tasks: ["dummy"] },
    ],
    dags: [{ name: "plain", user: "store", uid: 0x401, stages: [[{ chain: "plain" }]] }],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);
const code = (task: string): number => catalogue.indexOf(task) + 1;

// A whole device of its own is built for it: MNEMO_LONG=1 runs it.
it.skipIf(process.env["MNEMO_LONG"] !== "1")(
  "DEPLOY_NT gives a KV cache its memory, within what its user may have; then it answers, and replication copies",
  () =>
    withDevice(
      "deploy memory",
      setup,
      parameters,
      { bitstreams, limitCycles: 300_000, wave: false, signals: true, backToBack: true, hold: 0 },
      async device => {
        const { bench, managed, memory } = device,
          [store, poor] = setup.users;
        if (managed === undefined || memory === undefined || store === undefined || poor === undefined)
          throw new RangeError("the device is managed, has memory, and two users");
        const ask = (name: keyof typeof ctrlOpcode, body: Uint8Array, user = store) =>
            managed.requests.do(ctrlOpcode[name], body, user),
          deploy = async (task: string, user = store) =>
            (await ask("DEPLOY_NT", encode(deployBody, { task: code(task), shared: 0 }), user)).status,
          add = (task: string) =>
            ask(
              "ADD_DAG",
              concat(
                encode(addDagBody, { way: 0, ahead: 0 }),
                encode(dagBranchBody, { stage: 0, arg: 0, tasks: 1, task0: code(task) }),
              ),
            );
        expect((await add(cache)).status).toBe("DENIED");
        expect([await deploy(cache, poor), memory.manager.promised]).toEqual(["FULL", 0]);
        expect([await deploy(cache), memory.manager.promised, await deploy(cache)]).toEqual(["OK", 4, "OK"]);
        expect(await deploy(cache, poor)).toBe("DENIED");
        const cached = decode(dagNameBody, (await add(cache)).body),
          copied = decode(dagNameBody, (await add("replicate")).body);
        // Of two rules that match the first one counts: what goes to the other node is copied.
        const bound = [
          { uid: copied.uid, to: other.ip, toBits: 32, hasProtocol: 1, protocol: 17 },
          { uid: cached.uid, hasProtocol: 1, protocol: 17 },
        ];
        for (const rule of bound) expect((await ask("BIND", encode(bindBody, rule))).status).toBe("OK");
        await bench.cycles((life + 4) * kvTick + 1_100);

        const value = new Uint8Array(500).map((_, i) => i * 5),
          replies: Uint8Array[] = [],
          came = [0, 0, 0];
        bench.onEdge({
          sample: () => {
            for (let left = device.take(); left; left = device.take()) {
              const { bytes } = left.frame;
              if (isPause(bytes)) continue;
              came[left.port] = (came[left.port] ?? 0) + 1;
              if (left.port === 0) replies.push(bytes);
              else if (left.port === nodePort && parsed(bytes).clio.opcode === 0x60)
                device.send(nodePort, nodeReply(bytes, 0, value));
            }
          },
        });
        for (const requestId of [1, 2]) {
          device.send(0, requestFrame(client, { op: "read", key: 7n, requestId }));
          await bench.until(() => replies.length === requestId);
          await bench.cycles(600);
        }
        expect(replies.map(r => Buffer.from(parsed(r).body.slice(4)).equals(Buffer.from(value)))).toEqual([true, true]);
        expect(came).toEqual([2, 1, 0]);
        // A write that wants copies.
        const write = requestFrame(client, { op: "update", key: 7n, requestId: 3, value });
        write[46] = (write[46] ?? 0) | 0x20;
        write.set([other.ip >>> 24, (other.ip >>> 16) & 255, (other.ip >>> 8) & 255, other.ip & 255], 30);
        write.set([0, 0], 24);
        const sum = internetChecksum(write, 14, 34);
        write.set([sum >> 8, sum & 255], 24);
        device.send(0, write);
        await bench.until(() => came[2] === 1);
        await bench.until(() => !device.busy);
        await bench.cycles(600);
        expect(came).toEqual([2, 2, 1]);
        memory.stop();
        expect([
          ...unaccounted(await device.counters(), await device.inside()),
          ...leftAtRest(bench.sim, parameters),
          ...(await memory.leftAtRest()),
        ]).toEqual([]);
      },
    ),
);
