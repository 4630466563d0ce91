/** Replication in the whole device, by a setup file: a client, three nodes, and the model beside every frame. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../designs/supernic/model/index.ts";
import {
  deviceDefinition,
  leftAtRest,
  SimulatedSuperNic,
  unaccounted,
} from "../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../designs/supernic/software/index.ts";
import { runBench } from "../../../../sim/index.ts";
import { clientOf, nodeReply, nodes, parsed, requestFrame } from "../rtl/tasks/replicate/support/frames.ts";
import { isPause } from "./support/pauses.ts";

const parameters = makeParameters({
    ...{ ports: 4, contexts: 64, cells: 128, regions: 2, slots: 2, branches: 2, credits: 8, users: 4 },
  }),
  client = clientOf(1);
const mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":"),
  ip = (n: number): string => [24, 16, 8, 0].map(s => (n >>> s) & 255).join(".");
const file = {
    ...{ mac: "02:5e:00:00:00:ff", ip: "10.9.0.254", ports: [{}, {}, {}, {}] },
    stations: [
      { name: "client", mac: mac(client.mac), ip: ip(client.ip), port: 0 },
      ...nodes.slice(0, 3).map((n, i) => ({ name: `mem${i}`, mac: mac(n.mac), ip: ip(n.ip), port: n.port })),
    ],
    users: [{ name: "store" }],
    replicas: [
      { name: "two", user: "store", nodes: ["mem0", "mem1"] },
      { name: "three", user: "store", nodes: ["mem0", "mem1", "mem2"] },
    ],
    regions: [{ chain: "copies", tasks: ["replicate", "dummy"] }],
    dags: [{ name: "copied", user: "store", uid: 0x401, stages: [[{ chain: "copies", arg: "three" }]] }],
    rules: [{ protocol: 17, action: { dag: "copied" } }],
  },
  read = (of: object) =>
    readSetup(JSON.stringify(of), "setup", deviceSizes(parameters), name => taskNamed(name).declared),
  setup = read(file);

describe("a setup with replication", () => {
  const refused = (more: object, why: string): void => expect(() => read({ ...file, ...more })).toThrow(why);
  it("names its groups; one that cannot be is refused in a sentence", () => {
    refused({ replicas: [] }, "replicas: there are none, and regions[0] has a replicate; give a group of nodes");
    refused({ replicas: [{ name: "two", user: "store", nodes: ["mem0", "mem9"] }] }, 'replicas[0].nodes[1] = "mem9"');
    refused(
      { replicas: [{ name: "two", user: "store", nodes: ["mem0", "mem0"] }] },
      "the same as replicas[0].nodes[0]",
    );
    refused({ replicas: [{ name: "none", user: "store", nodes: [] }] }, "must name 1 to 4 stations");
    refused(
      { dags: [{ ...file.dags[0], stages: [[{ chain: "copies", arg: 7 }]] }] },
      "dags[0].stages[0][0].arg = 7: replicate has no such row of user store",
    );
  });
});

describe("replication in the device", () => {
  it("each write goes to all nodes, each reply but the last is kept back; reads go to one; nothing is left", async () => {
    await runBench(
      "replicate device",
      deviceDefinition(setup, parameters),
      { limitCycles: 200_000, wave: false, signals: true },
      async bench => {
        const device = new SimulatedSuperNic(bench, setup, parameters, { backToBack: true }),
          scoreboard = new DeviceScoreboard(setup),
          atNode = [0, 0, 0],
          replies: Uint8Array[] = [];
        const send = (port: number, bytes: Uint8Array): void => {
          scoreboard.enter(port, bytes);
          device.send(port, bytes);
        };
        bench.onEdge({
          sample: () => {
            for (let left = device.take(); left; left = device.take()) {
              const { bytes } = left.frame;
              if (isPause(bytes)) continue;
              scoreboard.leave(left.port, bytes);
              if (left.port === 0) replies.push(bytes);
              else {
                const node = left.port - 1;
                atNode[node] = (atNode[node] ?? 0) + 1;
                send(left.port, nodeReply(node, bytes, 0));
              }
            }
          },
        });
        await device.bringUp();
        const writes = 24,
          reads = 12;
        for (let i = 0; i < writes; i++) {
          send(0, requestFrame(client, 1, { requestId: i, body: bench.random.bytes(10 + 40 * i) }));
          if (i % 2 === 0) send(0, requestFrame(client, 1, { requestId: 100 + i, replicate: false, opcode: 0x40 }));
          await bench.until(() => replies.length >= i - 8);
        }
        await bench.until(() => replies.length === writes + reads);
        await bench.until(() => !device.busy);
        await bench.cycles(600);
        expect(atNode).toEqual([writes + reads, writes, writes]);
        expect(replies.every(r => parsed(r).ipv4.src === nodes[0]?.ip)).toBe(true);
        const counters = await device.counters();
        // Each write, and all replies to it but one.
        expect(counters.middle["dropTask"]).toBe(3 * writes);
        expect([
          ...scoreboard.finish(await device.counts(counters)),
          ...unaccounted(counters, await device.inside()),
          ...leftAtRest(bench.sim, parameters),
        ]).toEqual([]);
      },
    );
  });
});
