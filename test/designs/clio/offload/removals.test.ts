/**
 * The removal of what an offload keeps for a process, beside requests of that process: none reaches the offload behind
 * the removal until the process exists again.
 */
import { describe, expect, test } from "vitest";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { extendPath } from "../../../../designs/clio/offload/index.ts";
import { dissect, status } from "../../../../designs/clio/wire/index.ts";
import { FrameClient } from "../../../../designs/clio/workload/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  poke,
  runBench,
} from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { type ExtendPorts, op, parameters } from "./support/extend-rig.ts";
import { Keeper } from "./support/keeper.ts";
import { spreadEndpoint } from "../../../support/spread.ts";

const { runtime } = makeSettings();
const dut = extendPath([{ name: "keeper", opcodes: [op.proxy], owned: true, build: Keeper }])({
  ...parameters,
  contexts: 4,
});
const clients = [0, 1, 2].map(i => new FrameClient(spreadEndpoint(i), runtime, 1 + 100_000 * i));
const processes = [1, 2, 3, 4, 5];

/** Rounds of requests of all processes, and of the removal of one somewhere among them. */
async function run(b: Bench<ExtendPorts>, rounds: number, pause: (seed: number) => Pause): Promise<void> {
  const { io, random } = b;
  for (const [name, value] of Object.entries(runtime))
    if (name in io.config)
      (io.config as unknown as Record<string, { value: number | bigint }>)[name]!.value = Number(value);
  io.config.mac.value = runtime.mac;
  io.control.patience.value = 2 ** 24 - 1;
  const requests = new AxisSource(b.sim, io.nodeSocRx, { pause: pause(1) }),
    software = new AxisSink(b.sim, io.socRx, { pause: pause(2) }),
    replies = new AxisSink(b.sim, io.nodeSocTx, { pause: pause(3) });
  const open = new Map<number, number>();
  let removing = 0,
    answered = 0,
    passed = 0;
  b.onEdge({
    sample: () => {
      for (let f = replies.take(); f !== undefined; f = replies.take()) {
        const { clio, body } = dissect(f.bytes),
          pid = open.get(clio!.requestId);
        expect(pid, "an answer to a request that was made, the first one").toBe(clio!.pid);
        open.delete(clio!.requestId);
        if (clio!.status === status.BUSY) continue;
        answered++;
        expect(new DataView(body!.buffer, body!.byteOffset).getUint16(0, true), "behind its own removal").not.toBe(
          pid === removing ? pid : -1,
        );
      }
      for (let f = software.take(); f !== undefined; f = software.take()) {
        const { clio } = dissect(f.bytes);
        expect(open.delete(clio!.requestId), "a frame for the software that was a request").toBe(true);
        expect(clio!.pid, "of a process that exists, or did").toBe(removing);
        passed++;
      }
    },
  });
  const order = async (pid: number, o: { exists?: number; forget?: number; seen?: number }): Promise<void> => {
    await b.until(() => io.state.processes.busy.value === 0);
    poke(io.control.process, { write: 1, pid, exists: 0, forget: 0, seen: 0, ...o });
    await b.risingEdge();
    io.control.process.write.value = 0;
    await b.cycles(1);
    await b.until(() => io.state.processes.busy.value === 0);
  };
  await b.until(() => io.state.processes.busy.value === 0);
  for (const pid of processes) await order(pid, { exists: 1 });
  for (let round = 0; round < rounds; round++) {
    removing = processes[round % processes.length]!;
    const sends = async (): Promise<void> => {
      for (let i = random.between(2, 14); i > 0; i--) {
        const pid = random.chance(0.6) ? removing : random.pick(processes),
          frame = random.pick(clients).request(op.proxy, pid);
        open.set(dissect(frame).clio!.requestId, pid);
        requests.send(frame);
        if (random.chance(0.5)) await b.cycles(random.between(1, 40));
      }
    };
    const sent = sends();
    await b.cycles(random.between(0, 150));
    await order(removing, { exists: 0 });
    await b.cycles(random.pick([0, 0, random.between(0, 60)]));
    await order(removing, { forget: 1 });
    await b.until(() => io.state.processes.forgotten.value === 1);
    expect([io.state.processes.forgetting.value, io.state.processes.failed.value], "how it ended").toEqual([0, 0]);
    await b.cycles(random.between(0, 30));
    expect(io.state.processes.forgotten.value, "until it is seen").toBe(1);
    await order(removing, { seen: 1 });
    expect(io.state.processes.forgotten.value, "it was seen").toBe(0);
    await sent;
    await b.until(() => open.size === 0 && requests.pending === 0);
    await b.until(() => io.state.active.value === 0);
    await order(removing, { exists: 1 });
  }
  expect(answered, "requests answered by the offload").toBeGreaterThan(rounds);
  expect(passed, "requests of who does not exist").toBeGreaterThan(rounds / 4);
}

const limits = { limitCycles: 300_000, hangCycles: 6000, wave: false } as const,
  slow = (seed: number): Pause => bernoulli(0.3, seed);
const check = (name: string, design: Dut<ExtendPorts>, pause: (seed: number) => Pause): Promise<unknown> =>
  runBench(name, design, { ...limits, seed: 5 }, b => run(b, 60, pause));

describe("removals beside requests", () => {
  test("under back-pressure", () => check("removals", dut, slow));
  test("without a pause", () => check("removals", dut, () => never));
  test.each([
    [
      "requests of who is to be forgotten go on",
      /(?<=requests_wants =[^;]*)requests_owned & ~requests_checked/,
      "1'b0",
    ],
    ["the end of a removal is not told", /(?<=forget_0_over <= )1'b1/, "1'b0"],
    ["a removal is over for good", /if \(control_process_write & control_process_seen\) forget_0_over <= 1'b0;/, ""],
  ] as const)("a planted fault is found: %s", (name, from, to) => findsFault(check(name, plant(dut, from, to), slow)));
});
