/** A setup file with rings for frames of DAGs that wait: docs/supernic/spill.md. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../../designs/supernic/model/index.ts";
import { leftAtRest, play, type PlayFrame, withDevice } from "../../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../../designs/supernic/software/index.ts";
import { udpFrame } from "../../../../../designs/shared/wire/index.ts";

const parameters = makeParameters({
  ...{ ports: 2, contexts: 32, cells: 64, regions: 2, slots: 1, branches: 2, credits: 4, users: 4 },
  ...{ pageSize: "16KB", memory: "512MB", reprogramTime: 10_000, spillRings: 1, spillRing: "1MB" },
});
const ends = [0, 1].map(port => ({
    ...{ mac: BigInt(`0x025e000000${port + 1}0`), ip: 0x0a020001 + port, port: 700 + port },
  })),
  mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":");
const late = 9_001,
  now = 9_002;
/** Both users are of one class, so their frames come by one class queue. The chain of `late` is in no region. */
const file = {
  ...{ mac: "02:5e:00:00:00:ff", ip: "10.2.0.254", ports: [{}, {}], spill: true },
  stations: ends.map((e, port) => ({ name: `host${port}`, mac: mac(e.mac), ip: `10.2.0.${port + 1}`, port })),
  users: ["alice", "bob"].map((name, i) => ({ name, class: 0, key: `6${i + 1}`.repeat(16) })),
  regions: [{ chain: "here", tasks: ["dummy"] }],
  bitstreams: [{ chain: "elsewhere", tasks: ["checksum"] }],
  dags: [
    { name: "now", user: "alice", uid: 0x401, stages: [[{ chain: "here" }]] },
    { name: "late", user: "bob", uid: 0x402, stages: [[{ chain: "elsewhere" }]] },
  ],
  rules: [
    { protocol: 17, toPort: late, action: { dag: "late" } },
    { protocol: 17, toPort: now, action: { dag: "now" } },
  ],
};
const read = (from: unknown) =>
  readSetup(JSON.stringify(from), "setup", deviceSizes(parameters), name => taskNamed(name).declared);

/** Ten frames of bob, whose chain is loaded for the first; behind each comes one of alice. @returns who left when */
async function played(spill: boolean) {
  const setup = read({ ...file, spill }),
    [from, to] = ends;
  if (from === undefined || to === undefined) throw new RangeError("there are two ends");
  const frames = Array.from({ length: 20 }, (_, i): PlayFrame => {
    const bytes = udpFrame(from, { ...to, port: i % 2 === 0 ? late : now }, new Uint8Array(40 + 60 * i).fill(i));
    return { timeNs: BigInt(i * 300), port: 0, bytes };
  });
  return withDevice(
    `setup rings ${String(spill)}`,
    setup,
    parameters,
    { wave: false, limitCycles: 100_000, signals: true, backToBack: true, hold: 0 },
    async device => {
      const result = await play(device, frames, {
        pace: "capture",
        scoreboard: new DeviceScoreboard(setup, {}, () => device.bench.cycle),
      });
      expect(result.problems).toEqual([]);
      await device.bench.cycles(1_000);
      expect(leftAtRest(device.bench.sim, parameters)).toEqual([]);
      const left = result.out.map(o => new DataView(o.bytes.buffer, o.bytes.byteOffset).getUint16(36));
      return { left, counts: result.counters.middle, latencies: result.played.map(p => p.latency ?? Infinity) };
    },
  );
}

describe("a setup's rings", () => {
  it("without bitstreams nobody waits: refused in a sentence", () => {
    expect(() => read({ ...file, bitstreams: [], dags: [], rules: [] })).toThrow(
      "spill: it is true, and there are no bitstreams, so no DAG ever waits; leave it out",
    );
    expect(read({ ...file, spill: undefined }).spill).toBe(false);
  });
  it("frames of a DAG whose chain is loaded for them lie in a ring; those behind them go on", async () => {
    const { left, counts, latencies } = await played(true);
    expect(left).toEqual([...Array<number>(10).fill(now), ...Array<number>(10).fill(late)]);
    expect(counts).toMatchObject({ ringSpilled: 10, ringRestored: 10, ringLost: 0, ringDiscarded: 0 });
    // Alice's wait for nothing: 300 ns are 75 cycles.
    expect(Math.max(...latencies.filter((_, i) => i % 2 === 1))).toBeLessThan(300);
  });
  it("without rings they wait for the chain, too", async () => {
    const { counts, latencies } = await played(false);
    expect(counts).not.toHaveProperty("ringSpilled");
    expect(latencies[1]).toBeGreaterThan(700);
  });
});
