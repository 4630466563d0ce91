import { describe, expect, test } from "vitest";
import { passQueue } from "../../../../designs/shared/stream/pass-queue.ts";
import { bit, connect, input, module, reg, source, struct, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, never, type Pause, poke, runBench, StreamSink } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const parameterSets = [
  { depth: 8, width: 16, lateReady: false },
  { depth: 2, width: 40, lateReady: false },
  { depth: 4, width: 24, lateReady: true },
  { depth: 2, width: 40, lateReady: true },
];
type Shape = (typeof parameterSets)[number];
/** The queue behind the register that it is made for. */
const Harness = module(
  "PassQueueHarness",
  ({ width }: Shape) => ({ push: input(struct({ valid: bit, value: uint(width) })), out: source(uint(width)) }),
  (io, { depth, width, lateReady }) => {
    const valid = reg(bit, { init: 0 }),
      value = reg(uint(width));
    valid.set(io.push.valid);
    value.set(io.push.value);
    connect(passQueue("passing", uint(width), depth, valid, value, { lateReady }), io.out);
  },
);
type Ports = ReturnType<typeof Harness>["ports"];

/** Pushes while there is room, by chance; everything comes out, in order, at once when nothing is ahead of it. */
async function run(
  b: Bench<Ports>,
  { depth, width }: Shape,
  count: number,
  chance: number,
  pause: Pause,
): Promise<void> {
  const out = new StreamSink(b.sim, b.io.out, { pause }),
    pushed: { readonly value: bigint; readonly cycle: number }[] = [];
  let most = 0,
    passedBy = 0;
  for (let n = 0; n < count || out.received.length < count;) {
    if (b.cycle === 500) {
      poke(b.io.push, { valid: 0, value: 0n });
      b.sim.reset(1);
      pushed.length = n = 0;
      out.received.splice(0);
      continue;
    }
    const inside = pushed.length - out.received.length,
      pushes = n < count && inside < depth && b.random.chance(chance);
    most = Math.max(most, inside);
    poke(b.io.push, { valid: +pushes, value: b.random.bits(width) });
    const value = b.io.push.value.big;
    await b.risingEdge();
    if (pushes) {
      pushed.push({ value, cycle: b.cycle });
      n++;
    }
  }
  expect(out.received.map(r => BigInt(r.value))).toEqual(pushed.map(p => p.value));
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

describe.each(parameterSets)("passQueue of $depth x $width bits, late ready $lateReady", p => {
  const dut = Harness(p);
  test("everything in order, full and empty", () =>
    runBench("pass", dut, { seed: 3 }, b => run(b, p, 3000, 0.5, bernoulli(0.5, 1))));
  test("no cycle lost while nothing stalls", () => runBench("pass", dut, {}, b => run(b, p, 1000, 0.7, never)));
  describe("a planted fault is found", () => {
    const own = [
      ["the last of those queued hides the one that comes", /~passing_single \| valid/, "~passing_single"],
      ["what is taken at once is queued too", /: valid & ~passing_taken/, ": valid"],
    ] as const;
    const late = [
      ["the last of those queued hides the one that comes", /~passing_single \| valid/, "~passing_single"],
      ["a place is passed by without its element", "passing_was_ready & passing_offered", "passing_was_ready"],
      ["one that was not taken is not queued", /passing_offered <= [^;]*;/, "passing_offered <= passing_queued;"],
      ["a reset leaves what was offered", "passing_offered <= 1'b0", "passing_offered <= 1'b1"],
    ] as const;
    for (const [name, from, to] of [
      ...(p.lateReady ? late : own),
      [
        "what comes passes those that wait",
        /passing_queued \? passing_store\[passing_head\] : value/,
        "valid ? value : passing_store[passing_head]",
      ],
    ] as const) {
      test(name, () =>
        findsFault(
          runBench(name, plant(dut, from, to), { wave: false, hangCycles: 200 }, b =>
            run(b, p, 500, 0.5, bernoulli(0.5, 1)),
          ),
        ),
      );
    }
  });
});
