import { describe, expect, test } from "vitest";
import { passQueue } from "../../../../designs/shared/stream/pass-queue.ts";
import { bit, connect, input, module, reg, source, struct, uint } from "../../../../hdl-dsl/index.ts";
import { bernoulli, never, poke, runBench, StreamSink, type Bench, type Pause } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const depth = 8;
/** The queue behind the register that it is made for. */
const Harness = module(
  "PassQueueHarness",
  () => ({ push: input(struct({ valid: bit, value: uint(16) })), out: source(uint(16)) }),
  io => {
    const valid = reg(bit, { init: 0 }),
      value = reg(uint(16));
    valid.set(io.push.valid);
    value.set(io.push.value);
    connect(passQueue("passing", uint(16), depth, valid, value), io.out);
  },
);
const dut = Harness();
type Ports = typeof dut.ports;

/** Pushes while there is room, by chance; everything comes out, in order, at once when nothing is ahead of it. */
async function run(b: Bench<Ports>, count: number, chance: number, pause: Pause): Promise<void> {
  const out = new StreamSink(b.sim, b.io.out, { pause }),
    pushed: { readonly value: number; readonly cycle: number }[] = [];
  let most = 0,
    passedBy = 0;
  for (let n = 0; n < count || out.received.length < count;) {
    if (b.cycle === 500) {
      poke(b.io.push, { valid: 0, value: 0 });
      b.sim.reset(1);
      pushed.length = n = 0;
      out.received.splice(0);
      continue;
    }
    const inside = pushed.length - out.received.length,
      pushes = n < count && inside < depth && b.random.chance(chance);
    most = Math.max(most, inside);
    poke(b.io.push, { valid: +pushes, value: b.random.between(0, 65535) });
    const value = b.io.push.value.num;
    await b.risingEdge();
    if (pushes) {
      pushed.push({ value, cycle: b.cycle });
      n++;
    }
  }
  expect(out.received.map(r => r.value)).toEqual(pushed.map(p => p.value));
  out.received.forEach((r, i) => {
    const at = (pushed[i]?.cycle as number) + 1,
      ahead = out.received[i - 1]?.cycle ?? 0;
    expect(r.cycle, `number ${i}`).toBeGreaterThanOrEqual(Math.max(at, ahead + 1));
    if (r.cycle === at) passedBy++;
    if (pause === never) expect(r.cycle, `number ${i}, nothing ahead`).toBe(at);
  });
  expect(passedBy, "passed by the queue").toBeGreaterThan(10);
  if (pause !== never) expect(most, "elements at most").toBe(depth);
}

describe("passQueue", () => {
  test("everything in order, full and empty", () =>
    runBench("pass", dut, { seed: 3 }, b => run(b, 3000, 0.5, bernoulli(0.5, 1))));
  test("no cycle lost while nothing stalls", () => runBench("pass", dut, {}, b => run(b, 1000, 0.7, never)));
  describe("a planted fault is found", () => {
    for (const [name, from, to] of [
      ["the last of those queued hides the one that comes", /~passing_single \| valid/, "~passing_single"],
      ["what is taken at once is queued too", /: valid & ~passing_taken/, ": valid"],
      [
        "what comes passes those that wait",
        /passing_queued \? passing_store\[passing_head\] : value/,
        "valid ? value : passing_store[passing_head]",
      ],
    ] as const) {
      test(name, () =>
        findsFault(
          runBench(name, plant(dut, from, to), { wave: false, hangCycles: 200 }, b =>
            run(b, 500, 0.5, bernoulli(0.5, 1)),
          ),
        ),
      );
    }
  });
});
