/** Tasks with payload in the whole device: frames are as the model says, byte for byte; bad ones are contained. */
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
import { badPayloadTask, type PayloadMisdeed, payloadMisdeeds } from "../rtl/tasks/support/bad-payload-task.ts";
import { isPause } from "./support/pauses.ts";
import { watchCensus } from "./support/worlds.ts";

const parameters = makeParameters({
    ports: 2,
    contexts: 32,
    cells: 64,
    regions: 2,
    slots: 2,
    branches: 2,
    credits: 4,
    users: 4,
  }),
  taskOf = (name: string) => (name === "bad_payload" ? badPayloadTask : taskNamed(name)),
  count = 10,
  place = 1,
  pattern = 0xa5;
const [from, to] = [1, 2].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n }));
/** Two users; a chain with the bad task behind a good one, and a chain with a good task that writes payload. */
const setupOf = (): Setup =>
  readSetup(
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
        { name: "victim", class: 0 },
        { name: "other", class: 1 },
      ],
      regions: [
        { chain: "with", tasks: ["dummy", "bad_payload"] },
        { chain: "good", tasks: ["xor"] },
      ],
      dags: [
        { name: "through", user: "victim", uid: 0x401, stages: [[{ chain: "with" }]] },
        { name: "past", user: "other", uid: 0x402, stages: [[{ chain: "with", run: ["dummy"] }]] },
        { name: "elsewhere", user: "other", uid: 0x403, stages: [[{ chain: "good", arg: pattern }]] },
        { name: "twice", user: "victim", uid: 0x404, stages: [[{ chain: "with" }], [{ chain: "good", arg: 3 }]] },
      ],
    }),
    "setup",
    deviceSizes(parameters),
    name => taskOf(name).declared,
  );
const setup = setupOf();

class Trial {
  readonly device: SimulatedSuperNic;
  readonly scoreboard = new DeviceScoreboard(setup, { bad_payload: identity });
  #number = 0;
  /** Frames that may leave, or not: their task is switched off meanwhile. */
  readonly #open: string[] = [];

  constructor(device: SimulatedSuperNic) {
    this.device = device;
    device.bench.onEdge({
      sample: () => {
        for (let left = device.take(); left; left = device.take()) this.#left(left.port, left.frame.bytes);
      },
    });
  }
  #left(port: number, bytes: Uint8Array): void {
    const hex = Buffer.from(bytes).toString("hex"),
      open = this.#open.indexOf(hex);
    if (isPause(bytes)) return;
    if (open >= 0) this.#open.splice(open, 1);
    else this.scoreboard.leave(port, bytes);
  }
  /** A frame of a DAG. @param leaves it comes out as the model says, it does not, or it may, unchanged */
  send(uid: number, leaves: boolean | "maybe", bytes = 30 + 61 * (this.#number % 20)): void {
    if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
    const plain = udp(from, to, { from: 5000 + (this.#number % 5), to: this.#number++ }, filler(bytes)),
      frame = putShims(plain, { snic: shim(uid) });
    if (leaves === "maybe") this.#open.push(Buffer.from(plain).toString("hex"));
    else if (leaves) this.scoreboard.enter(0, frame);
    this.device.send(0, frame);
  }
  round(through: boolean, bytes?: number): void {
    for (let i = 0; i < count; i++) {
      this.send(0x401, through, bytes);
      this.send(0x402, true);
      this.send(0x403, true);
      this.send(0x404, through, bytes);
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
  async misbehave(misdeed: PayloadMisdeed): Promise<void> {
    const data = BigInt(payloadMisdeeds.indexOf(misdeed));
    await this.device.driver.write([tableWrite("task", place, { at: 0n, data })]);
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

/** Whether packets still leave, what counts their misdeed, and bytes that show it; without: of every length. */
const outcomes = {
  takesNone: { leave: false, counts: ["killed", "stuck"], bytes: 300 },
  givesNone: { leave: false, counts: ["killed", "stuck"], bytes: 300 },
  few: { leave: false, counts: ["grown"], bytes: 400 },
  many: { leave: false, counts: ["grown"], bytes: 200 },
  endless: { leave: false, counts: ["grown", "killed", "stuck"], bytes: 200 },
  answersNone: { leave: false, counts: ["killed", "stuck"], bytes: 700 },
  stray: { leave: true, counts: ["strays"], bytes: undefined },
  slow: { leave: true, counts: [], bytes: undefined },
} as const satisfies Partial<Record<PayloadMisdeed, unknown>>;
type Tried = keyof typeof outcomes;

/** A device in which the task is good, then bad, then reset and good. @returns what was wrong */
async function trial(misdeed: Tried, device: SimulatedSuperNic): Promise<readonly string[]> {
  const { leave, counts, bytes } = outcomes[misdeed],
    trial = new Trial(device),
    census = watchCensus(device);
  await trial.control(0);
  trial.round(true);
  await trial.rest();
  await trial.misbehave(misdeed);
  // As long as software lets it be stuck: who does not need it goes on.
  await trial.control(0, 0);
  trial.round(leave, bytes);
  await device.bench.until(() => !device.busy && trial.scoreboard.outstanding === 0);
  await trial.control(0);
  await trial.rest();
  for (const name of counts) expect(await trial.count(name), name).toBeGreaterThan(0);
  if (leave) expect(await trial.count("grown"), "grown").toBe(0);
  // Switched off in the middle of packets, and let go again: the task is fresh.
  await trial.misbehave("slow");
  for (let i = 0; i < 6; i++) trial.send(0x401, "maybe", 900);
  await device.bench.cycles(150);
  await trial.control(1);
  await trial.rest();
  await trial.control(0);
  await trial.misbehave("none");
  expect(await trial.count("stuck")).toBe(0);
  trial.round(true);
  await trial.rest();
  const { middle } = await device.counters();
  return [
    ...census(),
    ...trial.scoreboard.finish(),
    ...unaccounted(await device.counters(), await device.inside()),
    ...leftAtRest(device.bench.sim, parameters),
    // The store sees right jobs only, whatever a task does.
    ...(["storeShort", "storeUneven"] as const).flatMap(n => (middle[n] === 0 ? [] : [`${n} is ${String(middle[n])}`])),
  ];
}

describe("a task with payload in the device", () => {
  for (const misdeed of Object.keys(outcomes) as Tried[])
    it(`${misdeed}: contained and counted; others go on, and all is back after a reset`, async () => {
      const problems = await withDevice(
        `bad payload ${misdeed}`,
        setup,
        parameters,
        { taskOf, limitCycles: 200_000, wave: false, signals: true, backToBack: true },
        device => trial(misdeed, device),
      );
      expect(problems).toEqual([]);
    });
});
