/** The KV cache in the whole device: clients at one port, a node at the other; a setup file names it. */
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
import { kvTick } from "../../../../designs/supernic/wire/index.ts";
import { runBench } from "../../../../sim/index.ts";
import { clientOf, node, nodePort, nodeReply, parsed, requestFrame } from "../rtl/tasks/kv-cache/support/kv-frames.ts";
import { isPause } from "./support/pauses.ts";

const parameters = makeParameters({
    ...{ ports: 2, contexts: 32, cells: 64, regions: 2, slots: 2, branches: 2, credits: 4, users: 4 },
    pageSize: "16KB",
    memory: "512MB",
  }),
  client = clientOf(1),
  life = 8;
const mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":"),
  ip = (n: number): string => [24, 16, 8, 0].map(s => (n >>> s) & 255).join(".");
const text = JSON.stringify({
    ...{ mac: "02:5e:00:00:00:ff", ip: "10.9.0.254", ports: [{}, {}] },
    stations: [
      { name: "client", mac: mac(client.mac), ip: ip(client.ip), port: 0 },
      { name: "node", mac: mac(node.mac), ip: ip(node.ip), port: nodePort },
    ],
    users: [{ name: "store" }],
    kvNode: { station: "node", user: "store", life },
    regions: [{ chain: "cache", tasks: ["kv_lru(64)", "dummy"] }],
    dags: [{ name: "cached", user: "store", uid: 0x401, stages: [[{ chain: "cache" }]] }],
    rules: [{ protocol: 17, action: { dag: "cached" } }],
  }),
  read = (from: string) => readSetup(from, "setup", deviceSizes(parameters), name => taskNamed(name).declared),
  setup = read(text);

it("a setup with a KV cache says which node it is for", () => {
  const { kvNode: _, ...without } = JSON.parse(text) as Record<string, unknown>;
  expect(() => read(JSON.stringify(without))).toThrow("kvNode: it is left out, and regions[0] has a KV cache");
  expect(() => taskNamed("kv_lru(100)")).toThrow("give a power of two from 64 to 16384");
});

describe("the model beside the device", () => {
  const key = 5n,
    value = new Uint8Array(30).fill(1);
  /** A read that is answered by the node; then `between`, and another read, which hits with that value. */
  const problemsOf = (between: (s: DeviceScoreboard) => void, as = value): readonly string[] => {
    const board = new DeviceScoreboard(setup),
      ask = (op: "read" | "update", requestId: number): Uint8Array =>
        requestFrame(client, { op, key, requestId, ...(op === "update" && { value }) }),
      passes = (from: number, to: number, frame: Uint8Array): void => {
        board.enter(from, frame);
        board.leave(to, frame);
      };
    passes(0, nodePort, ask("read", 1));
    passes(nodePort, 0, nodeReply(ask("read", 1), 0, value));
    between(board);
    board.enter(0, ask("read", 2));
    board.leave(0, nodeReply(ask("read", 2), 0, as));
    return board.finish();
  };
  const write = (board: DeviceScoreboard, answered: boolean): void => {
    const frame = requestFrame(client, { op: "update", key, requestId: 9, value: new Uint8Array(5) }),
      reply = nodeReply(frame, 0);
    board.enter(0, frame);
    board.leave(nodePort, frame);
    if (!answered) return;
    board.enter(nodePort, reply);
    board.leave(0, reply);
  };
  it("a hit may be, or not; its bytes are right, and no write that was answered is behind it", () => {
    expect(problemsOf(() => undefined)).toEqual([]);
    expect(problemsOf(board => write(board, false))).toEqual([]);
    expect(problemsOf(board => write(board, true))).not.toEqual([]);
    expect(problemsOf(() => undefined, value.with(3, 2))).not.toEqual([]);
  });
});

describe("the KV cache in the device", () => {
  it("answers as the node would, byte for byte, and asks it no more; a write goes to the node", async () => {
    await runBench(
      "kv device",
      deviceDefinition(setup, parameters),
      { limitCycles: 200_000, wave: false, signals: true },
      async bench => {
        const device = new SimulatedSuperNic(bench, setup, parameters, { backToBack: true }),
          store = new Map<string, Uint8Array>(),
          scoreboard = new DeviceScoreboard(setup),
          send = (port: number, bytes: Uint8Array): void => {
            scoreboard.enter(port, bytes);
            device.send(port, bytes);
          };
        let atNode = 0;
        const replies: Uint8Array[] = [];
        bench.onEdge({
          sample: () => {
            for (let left = device.take(); left; left = device.take()) {
              const { bytes } = left.frame;
              if (isPause(bytes)) continue;
              scoreboard.leave(left.port, bytes);
              if (left.port === 0) replies.push(bytes);
              else {
                atNode++;
                const { clio, body } = parsed(bytes),
                  key = Buffer.from(body.slice(4, 12)).toString("hex");
                if (clio.opcode === 0x64) store.set(key, body.slice(12));
                send(nodePort, nodeReply(bytes, 0, clio.opcode === 0x60 ? store.get(key) : undefined));
              }
            }
          },
        });
        await device.bringUp();
        await bench.cycles((life + 4) * kvTick + 1_100);
        let id = 0;
        const ask = async (op: "read" | "update", value?: Uint8Array): Promise<Uint8Array> => {
          send(0, requestFrame(client, { op, key: 0x1122_3344_5566_7788n, requestId: ++id, ...(value && { value }) }));
          await bench.until(() => replies.length > 0);
          return replies.shift() ?? new Uint8Array();
        };
        const first = new Uint8Array(700).map((_, i) => i * 7),
          second = new Uint8Array(90).fill(9);
        for (const value of [first, second]) {
          await ask("update", value);
          const before = atNode,
            missed = await ask("read");
          await bench.cycles(400);
          const hit = await ask("read"),
            // Only the number of the request is another one.
            same = (frame: Uint8Array): string =>
              Buffer.from([...frame.slice(0, 50), ...frame.slice(54)]).toString("hex");
          expect(Buffer.from(parsed(hit).body.slice(4))).toEqual(Buffer.from(value));
          expect(same(hit)).toBe(same(missed));
          expect(atNode - before).toBe(1);
        }
        await bench.until(() => !device.busy);
        await bench.cycles(600);
        device.memory?.stop();
        expect([
          ...scoreboard.finish(await device.counts(await device.counters())),
          ...unaccounted(await device.counters(), await device.inside()),
          ...leftAtRest(bench.sim, parameters),
          ...((await device.memory?.leftAtRest()) ?? []),
        ]).toEqual([]);
        expect((await device.counters()).middle["dropTask"]).toBe(2);
      },
    );
  });
});
