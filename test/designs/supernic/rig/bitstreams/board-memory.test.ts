/** A device whose tasks and rings have one memory of the board: docs/supernic/spill.md, "On a board". */
import { describe, expect, it } from "vitest";
import { boardPagesOf, deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../../designs/supernic/model/index.ts";
import { leftAtRest, play, type PlayFrame, withDevice } from "../../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../../designs/supernic/software/index.ts";
import { putShims } from "../../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../../designs/supernic/workload/index.ts";
import { bernoulli } from "../../../../../sim/index.ts";
import { exchange, exchangeModel } from "../../rtl/memory/support/exchange-task.ts";

const parameters = makeParameters({
    ...{ ports: 2, contexts: 32, cells: 64, regions: 2, slots: 1, branches: 2, credits: 4, users: 4 },
    ...{ pageSize: "16KB", memory: "512MB", reprogramTime: 10_000, spillRings: 1, spillRing: "1MB" },
  }),
  taskOf = (name: string) => (name === "exchange" ? exchange : taskNamed(name)),
  mac = (port: number): string => `02:5e:00:00:00:0${port + 1}`;
const setup = readSetup(
  JSON.stringify({
    ...{ mac: "02:5e:00:00:00:ff", ip: "10.2.0.254", ports: [{}, {}], spill: true },
    stations: [0, 1].map(port => ({ name: `host${port}`, mac: mac(port), ip: `10.2.0.${port + 1}`, port })),
    users: ["keeper", "other"].map((name, i) => ({ name, class: 0, key: `6${i + 1}`.repeat(16) })),
    regions: [{ chain: "with", tasks: ["exchange"] }],
    bitstreams: [{ chain: "without", tasks: ["checksum"] }],
    dags: [
      { name: "through", user: "keeper", uid: 0x401, stages: [[{ chain: "with" }]] },
      { name: "late", user: "other", uid: 0x402, stages: [[{ chain: "without" }]] },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskOf(name).declared,
);
const options = {
  ...{ taskOf, wave: false, signals: true, backToBack: true, hold: 0, limitCycles: 100_000 },
  ram: {
    latency: 40,
    jitter: 30,
    outOfOrder: true,
    pause: { ar: bernoulli(0.5, 1), aw: bernoulli(0.5, 2), r: bernoulli(0.2, 3) },
  },
};

describe("a device with tasks and rings in one memory", () => {
  // A whole device is built for it: MNEMO_LONG=1 runs it.
  it.skipIf(process.env["MNEMO_LONG"] !== "1")(
    "frames of a DAG that waits lie in a ring while a task keeps numbers; all leave as modelled",
    async () => {
      const count = 20,
        [from, to] = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));
      if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
      const frames = Array.from({ length: count }, (_, i): PlayFrame => {
        const plain = udp(from, to, { from: 5000, to: [1, 2, 9, 130][(i >> 1) % 4] ?? 1 }, filler(30 + 61 * i));
        return {
          timeNs: BigInt(i * 300),
          port: 0,
          bytes: putShims(plain, { snic: shim(i % 2 === 0 ? 0x402 : 0x401) }),
        };
      });
      await withDevice("one memory", setup, parameters, options, async device => {
        const ids = new Set<number>(),
          { mAr, mAw } = device.bench.io;
        device.bench.onEdge({
          sample: () => {
            for (const a of [mAr, mAw])
              if (a.valid.value === 1 && a.ready.value === 1) ids.add(Number(a.payload.id.value));
          },
        });
        const result = await play(device, frames, {
          pace: "capture",
          scoreboard: new DeviceScoreboard(setup, { exchange: exchangeModel }, () => device.bench.cycle),
        });
        expect(result.problems).toEqual([]);
        await device.bench.cycles(1_000);
        expect(leftAtRest(device.bench.sim, parameters)).toEqual([]);
        expect((await device.memory?.leftAtRest()) ?? ["no memory"]).toEqual([]);
        expect(result.counters.middle).toMatchObject({ ringSpilled: 10, ringRestored: 10, ringLost: 0 });
        // The mover or the task, and behind them the rings.
        expect([...ids].toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
      });
    },
  );
  it("pages of tasks and of peers that would reach the rings are refused in a sentence", async () => {
    const most = boardPagesOf(parameters),
      refused = (frames: number, aside: number) =>
        withDevice("refused", setup, parameters, { ...options, memory: { frames, aside } }, () => Promise.resolve());
    expect(most).toBe((2 ** 29 - 2 ** 20) / 2 ** 14);
    await expect(refused(most, 1)).rejects.toThrow(
      `${most} pages of 16384 bytes for tasks and 1 for peers reach the rings: ${most} lie in front of them; give ${most} together at most`,
    );
  });
});
