/** A task with memory in the whole device: its memory is slow, fails, or is short; frames are as modelled. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../designs/supernic/model/index.ts";
import {
  deviceDefinition,
  leftAtRest,
  type LineOptions,
  SimulatedSuperNic,
  type TaskMemoryOptions,
  unaccounted,
} from "../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../designs/supernic/software/index.ts";
import { putShims, tableWrite } from "../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../designs/supernic/workload/index.ts";
import { bernoulli, type Dut, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { exchange, exchangeModel } from "../rtl/memory/support/exchange-task.ts";
import { isPause } from "./support/pauses.ts";

const parameters = makeParameters({
    ...{ ports: 2, contexts: 32, cells: 64, regions: 2, slots: 2, branches: 2, credits: 4, users: 4 },
    pageSize: "16KB",
    memory: "512MB",
  }),
  taskOf = (name: string) => (name === "exchange" ? exchange : taskNamed(name)),
  count = 24,
  /** Ports of four pages. */
  ports = [1, 2, 9, 130];
const [from, to] = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));
const setup = readSetup(
  JSON.stringify({
    mac: "02:5e:00:00:00:ff",
    ip: "10.2.0.254",
    ports: [{}, {}],
    stations: [0, 1].map(port => ({
      name: `host${port}`,
      mac: `02:5e:00:00:00:0${port + 1}`,
      ip: `10.2.0.${port + 1}`,
      port,
    })),
    users: [
      { name: "keeper", class: 0 },
      { name: "other", class: 1 },
    ],
    regions: [
      { chain: "with", tasks: ["exchange", "dummy"] },
      { chain: "without", tasks: ["xor"] },
    ],
    dags: [
      { name: "through", user: "keeper", uid: 0x401, stages: [[{ chain: "with" }]] },
      { name: "past", user: "other", uid: 0x402, stages: [[{ chain: "with", run: ["dummy"] }]] },
      { name: "elsewhere", user: "other", uid: 0x403, stages: [[{ chain: "without", arg: 5 }]] },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskOf(name).declared,
);
const through = 0x401;

class Trial {
  readonly device: SimulatedSuperNic;
  readonly scoreboard = new DeviceScoreboard(setup, { exchange: exchangeModel });
  #number = 0;
  came = 0;

  constructor(device: SimulatedSuperNic) {
    this.device = device;
    device.bench.onEdge({
      sample: () => {
        for (let left = device.take(); left; left = device.take()) {
          if (isPause(left.frame.bytes)) continue;
          this.came++;
          this.scoreboard.leave(left.port, left.frame.bytes);
        }
      },
    });
  }
  /** A frame of a DAG. @param leaves as the model says; else it must not */
  send(uid: number, leaves = true): void {
    if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
    const number = this.#number++,
      plain = udp(from, to, { from: 5000, to: ports[number % ports.length] ?? 1 }, filler(30 + 61 * (number % 20)));
    plain.set([number >> 8, number & 255], 18);
    const frame = putShims(plain, { snic: shim(uid) });
    if (leaves) this.scoreboard.enter(0, frame);
    this.device.send(0, frame);
  }
  round(leave = true): void {
    for (let i = 0; i < count; i++) {
      this.send(through, leave);
      this.send(0x402);
      this.send(0x403);
    }
  }
  async rest(): Promise<void> {
    await this.device.bench.until(() => !this.device.busy && this.scoreboard.outstanding === 0);
    for (;;) {
      const inside = await this.device.inside();
      if (inside.core + inside.lane + inside.cells === 0 && inside.ports.every(p => p.queued + p.kept === 0)) break;
    }
    await this.device.bench.cycles(200);
  }
  /** Its task is switched off, or let go. */
  async control(isolate: number): Promise<void> {
    const values = { limit: parameters.credits, busyAt: 3, patience: 300, quiesce: 0, isolate };
    await this.device.driver.write([tableWrite("slot", 0, values)]);
  }
  async ends(): Promise<readonly string[]> {
    const { device } = this;
    return [
      ...this.scoreboard.finish(),
      ...unaccounted(await device.counters(), await device.inside()),
      ...leftAtRest(device.bench.sim, parameters),
      ...((await device.memory?.leftAtRest()) ?? []),
    ];
  }
}
/** Made once: its machine code is kept with it. */
const definition = deviceDefinition(setup, parameters, { taskOf });
const inDevice = <T>(
  name: string,
  { ram, ...memory }: TaskMemoryOptions & Pick<LineOptions, "ram">,
  body: (trial: Trial) => Promise<T>,
  device: Dut<(typeof definition)["ports"]> = definition,
): Promise<T> =>
  runBench(name, device, { limitCycles: 400_000, wave: false, signals: true }, async bench => {
    const simulated = new SimulatedSuperNic(bench, setup, parameters, {
      ...{ taskOf, memory, backToBack: true },
      ...(ram && { ram }),
    });
    await simulated.bringUp();
    const trial = new Trial(simulated);
    await trial.control(0);
    return body(trial).finally(() => simulated.memory?.stop());
  });

describe("a task with memory in the device", () => {
  const slowly = (device?: Dut<(typeof definition)["ports"]>): Promise<void> =>
    inDevice(
      "slow memory",
      { ram: { latency: 600, jitter: 100, outOfOrder: true } },
      async trial => {
        trial.round();
        await trial.rest();
        expect(await trial.ends()).toEqual([]);
      },
      device,
    );
  it("a slow memory that answers out of order: frames wait, no task is stuck", () => slowly());
  it("a short memory, pausing: pages go elsewhere and come back with what was written", async () => {
    const pause = { r: bernoulli(0.3, 1), w: bernoulli(0.3, 2), b: bernoulli(0.3, 3) };
    await inDevice("short memory", { ram: { latency: 20, pause }, frames: 3, elsewhere: 300 }, async trial => {
      trial.round();
      await trial.rest();
      const { counted } = trial.device.memory?.manager ?? { counted: { out: 0, in: 0 } };
      expect(counted.out).toBeGreaterThan(2);
      expect(counted.in).toBeGreaterThan(2);
      expect(await trial.ends()).toEqual([]);
    });
  });
  it("a memory that fails, and a task that is switched off: its frames are dropped and counted, others go on", async () => {
    await inDevice("failing memory", { ram: { latency: 300 } }, async trial => {
      const { device } = trial;
      trial.round();
      await trial.rest();
      // Switched off while accesses are under way, and let go again: nothing old comes.
      for (let i = 0; i < 4; i++) trial.send(through, false);
      await device.bench.cycles(400);
      await trial.control(1);
      await trial.rest();
      await trial.control(0);
      const { middle } = await device.counters(),
        killed = middle["dropTask"] ?? 0;
      expect(killed).toBe(4);
      device.memory?.ram.failAt({ from: 0, to: 2 ** 30 });
      trial.round(false);
      await trial.rest();
      expect((await device.counters()).middle["dropTask"]).toBe(killed + count);
      expect((await device.memory?.driver.way(0))?.failed).toBeGreaterThanOrEqual(count);
      expect(await trial.ends()).toEqual([]);
    });
  });
  // Another whole device is built for it: MNEMO_LONG=1 runs it.
  it.skipIf(process.env["MNEMO_LONG"] !== "1")("a planted fault is found: who waits for memory is stuck", async () => {
    await findsFault(slowly(plant(definition, / \| memory_held\b/, "")));
  });
});
