/** A setup file that names chains which regions are given as their frames come: docs/supernic/reconfigure.md. */
import { expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { clockPeriod, makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../../designs/supernic/model/index.ts";
import { leftAtRest, play, type PlayFrame, withDevice } from "../../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../../designs/supernic/software/index.ts";
import {
  clientOf,
  node,
  nodePort,
  nodeReply,
  parsed,
  requestFrame,
} from "../../rtl/tasks/kv-cache/support/kv-frames.ts";

const parameters = makeParameters({
    ...{ ports: 2, contexts: 32, cells: 64, regions: 2, slots: 1, branches: 2, credits: 4, users: 4 },
    ...{ pageSize: "16KB", memory: "512MB", reprogramTime: 10_000 },
  }),
  client = clientOf(1),
  cache = "kv_lru(64)";
const mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":"),
  ip = (n: number): string => [24, 16, 8, 0].map(s => (n >>> s) & 255).join(".");
const file = {
  ...{ mac: "02:5e:00:00:00:ff", ip: "10.9.0.254", ports: [{}, {}] },
  stations: [
    { name: "client", mac: mac(client.mac), ip: ip(client.ip), port: 0 },
    { name: "node", mac: mac(node.mac), ip: ip(node.ip), port: nodePort },
  ],
  users: [{ name: "store" }],
  kvNode: { station: "node", user: "store", life: 8 },
  regions: [{ chain: "plain", tasks: ["dummy"] }],
  bitstreams: [{ chain: "cache", tasks: [cache] }, ["checksum"]],
  dags: [{ name: "cached", user: "store", uid: 0x401, stages: [[{ chain: "cache" }]] }],
  rules: [{ protocol: 17, action: { dag: "cached" } }],
};
const read = (from: unknown) =>
  readSetup(JSON.stringify(from), "setup", deviceSizes(parameters), name => taskNamed(name).declared);

it("what cannot be is refused in a sentence", () => {
  expect(() => read({ ...file, kvNode: undefined })).toThrow("kvNode: it is left out, and bitstreams: cache has a KV");
  expect(() => read({ ...file, bitstreams: [{ chain: "plain", tasks: ["checksum"] }] })).toThrow(
    'bitstreams[0].chain = "plain": regions[0] has other tasks; give it another name',
  );
  expect(read(file).bitstreams).toEqual([["dummy"], [cache], ["checksum"]]);
  expect(read({ ...file, bitstreams: [], regions: [[cache]], dags: [], rules: [] }).bitstreams).toBeUndefined();
});

it("a KV cache is loaded for its first frame; it hits, and all is as the model says", async () => {
  const setup = read(file),
    value = new Uint8Array(300).map((_, i) => i * 3),
    request = (requestId: number) => requestFrame(client, { op: "read", key: 9n, requestId }),
    at = (us: number, port: number, bytes: Uint8Array): PlayFrame => ({ timeNs: BigInt(us * 1_000), port, bytes });
  const frames = [
    at(0, 0, request(1)),
    at(60, nodePort, nodeReply(request(1), 0, value)),
    // The node answers within the life of a request, 2,048 cycles.
    at(90, 0, request(2)),
    at(92, nodePort, nodeReply(request(2), 0, value)),
    // It does not answer this one.
    at(105, 0, request(3)),
  ];
  await withDevice(
    "setup bitstreams",
    setup,
    parameters,
    { wave: false, limitCycles: 300_000, signals: true, backToBack: true },
    async device => {
      expect(device.managed?.manager.places.map(p => p.use)).toEqual(["active", "free"]);
      const result = await play(device, frames, {
        pace: "capture",
        scoreboard: new DeviceScoreboard(setup, {}, () => device.bench.cycle),
      });
      expect(result.problems).toEqual([]);
      expect(device.managed?.manager.places[1]?.chain?.name).toBe("cache");
      const replies = result.out.filter(o => o.port === 0).map(o => parsed(o.bytes).clio.requestId);
      expect(replies).toEqual([1, 2, 3]);
      // The first one waited for the reprogramming.
      expect((result.played[0]?.latency ?? 0) * clockPeriod).toBeGreaterThan(parameters.reprogramTime);
      // A clock that rests when nothing is under way does not rest meanwhile.
      const killed = device.managed?.manager.kill(0);
      expect(device.busy).toBe(true);
      expect([await killed, device.busy]).toEqual(["running", false]);
      device.memory?.stop();
      await device.bench.cycles(2_000);
      expect([...leftAtRest(device.bench.sim, parameters), ...((await device.memory?.leftAtRest()) ?? [])]).toEqual([]);
    },
  );
});
