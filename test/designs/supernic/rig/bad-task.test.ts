/** A task that does wrong, in the whole device: contained, counted, and gone when its region is reset. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard, identity } from "../../../../designs/supernic/model/index.ts";
import {
  leftAtRest,
  type SimulatedSuperNic,
  unaccounted,
  withDevice,
} from "../../../../designs/supernic/rig/device/index.ts";
import { readSetup, type Setup } from "../../../../designs/supernic/software/index.ts";
import { putShims, tableWrite } from "../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../designs/supernic/workload/index.ts";
import { badTask, type Misdeed, misdeeds } from "./support/bad-task.ts";
import { watchCensus } from "./support/worlds.ts";

const parameters = makeParameters({
    ports: 2,
    contexts: 64,
    cells: 128,
    regions: 2,
    slots: 2,
    branches: 2,
    credits: 4,
    users: 4,
  }),
  taskOf = (name: string) => (name === "bad" ? badTask : taskNamed(name)),
  count = 12;
const hosts = [0, 1].map(port => ({
    name: `host${port}`,
    mac: `02:5e:00:00:00:0${port + 1}`,
    ip: `10.2.0.${port + 1}`,
    port,
  })),
  [from, to] = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));
/** Two users; a chain that holds the bad task behind a good one, and a chain of good ones. */
const setup: Setup = readSetup(
  JSON.stringify({
    mac: "02:5e:00:00:00:ff",
    ip: "10.2.0.254",
    ports: [{}, {}],
    stations: hosts,
    users: [
      { name: "victim", class: 0 },
      { name: "other", class: 1 },
    ],
    regions: [
      { chain: "with", tasks: ["dummy", "bad"] },
      { chain: "without", tasks: ["dummy"] },
    ],
    dags: [
      { name: "through", user: "victim", uid: 0x401, stages: [[{ chain: "with" }]] },
      { name: "past", user: "other", uid: 0x402, stages: [[{ chain: "with", run: ["dummy"] }]] },
      { name: "elsewhere", user: "other", uid: 0x403, stages: [[{ chain: "without" }]] },
      { name: "beside", user: "victim", uid: 0x404, stages: [[{ chain: "with" }, { chain: "without" }]] },
    ],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskOf(name).declared,
);
const place = 1;

class Trial {
  readonly device: SimulatedSuperNic;
  readonly scoreboard = new DeviceScoreboard(setup, { bad: identity });
  #number = 0;

  constructor(device: SimulatedSuperNic) {
    this.device = device;
    device.bench.onEdge({
      sample: () => {
        for (let left = device.take(); left; left = device.take()) this.scoreboard.leave(left.port, left.frame.bytes);
      },
    });
  }
  /** A frame of a DAG. @param leaves it is to come out, as the model says */
  send(uid: number, leaves: boolean): void {
    if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
    const frame = putShims(
      udp(from, to, { from: 5000 + (this.#number % 5), to: this.#number++ }, filler(30 + 17 * (this.#number % 20))),
      {
        snic: shim(uid),
      },
    );
    if (leaves) this.scoreboard.enter(0, frame);
    this.device.send(0, frame);
  }
  round(through: boolean): void {
    for (let i = 0; i < count; i++) {
      this.send(0x401, through);
      this.send(0x402, true);
      this.send(0x403, true);
      this.send(0x404, through);
    }
  }
  async rest(): Promise<void> {
    await this.device.bench.until(() => !this.device.busy);
    for (;;) {
      const inside = await this.device.inside();
      if (inside.core + inside.lane + inside.cells === 0 && inside.ports.every(p => p.queued + p.kept === 0)) break;
    }
    await this.device.bench.cycles(200);
  }
  async misbehave(misdeed: Misdeed): Promise<void> {
    await this.device.driver.write([tableWrite("task", place, { at: 0n, data: BigInt(misdeeds.indexOf(misdeed)) })]);
  }
  async control(isolate: number, patience = 400): Promise<void> {
    const { credits } = parameters;
    await this.device.driver.write([
      tableWrite("slot", place, { limit: credits, busyAt: 3, patience, quiesce: 0, isolate }),
    ]);
  }
  async count(name: "killed" | "strays" | "outside" | "grown" | "stuck"): Promise<number> {
    const { registers } = this.device.driver;
    await registers.write({ slotRegion: 0, slotAt: place });
    return name === "stuck" ? registers.read("slotStuck") : registers.read(`slot${name}`);
  }
}

/** Whether packets still leave, and what counts their misdeed. */
const outcomes = {
  takesNone: { leave: false, counts: ["killed", "stuck"] },
  answersNone: { leave: false, counts: ["killed", "stuck"] },
  stranger: { leave: false, counts: ["killed", "stuck", "strays"] },
  grows: { leave: false, counts: ["grown"] },
  outside: { leave: true, counts: ["outside"] },
  twice: { leave: true, counts: ["strays"] },
} as const satisfies Partial<Record<Misdeed, unknown>>;

describe("a bad task in the device", () => {
  for (const [misdeed, { leave, counts }] of Object.entries(outcomes) as [
    keyof typeof outcomes,
    (typeof outcomes)["grows"],
  ][])
    it(`${misdeed}: contained and counted; others go on, and all is back after a reset`, async () => {
      const problems = await withDevice(
        `bad task ${misdeed}`,
        setup,
        parameters,
        { taskOf, limitCycles: 200_000, wave: false, signals: true, backToBack: true },
        async device => {
          const trial = new Trial(device),
            census = watchCensus(device);
          await trial.control(0);
          trial.round(true);
          await trial.rest();
          await trial.misbehave(misdeed);
          // As long as software lets it be stuck: who does not need it goes on.
          await trial.control(0, 0);
          trial.round(leave);
          await device.bench.until(() => !device.busy && trial.scoreboard.outstanding === 0);
          await trial.control(0);
          await trial.rest();
          for (const name of counts) expect(await trial.count(name), name).toBeGreaterThan(0);
          // Software resets the region, and lets it go again: the task is fresh.
          await trial.control(1);
          await device.bench.cycles(50);
          await trial.control(0);
          await trial.misbehave("none");
          expect(await trial.count("stuck")).toBe(0);
          trial.round(true);
          await trial.rest();
          return [
            ...census(),
            ...trial.scoreboard.finish(),
            ...unaccounted(await device.counters(), await device.inside()),
            ...leftAtRest(device.bench.sim, parameters),
          ];
        },
      );
      expect(problems).toEqual([]);
    });
});
