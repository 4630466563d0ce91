/** Frames between a design's clock and its MAC's: in order, never dry on the way out, cut where there is no room. */
import { describe, expect, test } from "vitest";
import { MacCrossing, type MacCrossingParameters } from "../../../../designs/shared/frame/index.ts";
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

const parameterSets: readonly MacCrossingParameters[] = [
  { beatBytes: 8, longest: 16 },
  { beatBytes: 64, longest: 32 },
];
/** Clocks of which either may be the faster one. */
const clocks = {
  "a slow MAC": { node: { periodNs: 4 }, mac: { periodNs: 6.4, phaseNs: 1.3 } },
  "a fast MAC": { node: { periodNs: 4 }, mac: { periodNs: 3.103, phaseNs: 0.4 } },
};
type Clocks = (typeof clocks)[keyof typeof clocks];
type Ports = ReturnType<typeof MacCrossing>["ports"];
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

interface Traffic {
  /** Pauses of the MAC, and of the design. */
  readonly toMac: Pause;
  readonly received: Pause;
  /** Cycles of the MAC between two frames that come in, at most. */
  readonly gap: number;
}
/** Frames both ways at once. @returns how many came in whole, and how many were cut or lost */
async function bothWays(
  b: Bench<Ports>,
  p: MacCrossingParameters,
  t: Traffic,
): Promise<{ whole: number; lost: number }> {
  const { io, sim } = b,
    mac = b.clock("mac"),
    n = 80;
  const frames = (): Uint8Array[] =>
    Array.from({ length: n }, () => b.random.bytes(b.random.between(1, p.longest * p.beatBytes)));
  const sent = frames(),
    came = frames();
  const sink = new AxisSink(sim, io.toMac, { domain: "mac", pause: t.toMac }),
    source = new AxisSource(sim, io.send, { domain: "node", pause: never }),
    received = new AxisSink(sim, io.received, { domain: "node", pause: t.received });
  let lost = 0,
    dry = 0,
    within = false;
  b.onEdge(
    {
      sample: () => {
        lost += io.lost.value;
        if (within && io.toMac.valid.value === 0) dry++;
        if (io.toMac.valid.value === 1 && io.toMac.ready.value === 1) within = io.toMac.payload.last.value === 0;
      },
    },
    "mac",
  );
  await mac.cycles(20);
  for (const f of sent) source.send(f);
  for (const f of came) {
    for (let at = 0; at < f.length; at += p.beatBytes) {
      const lanes = f.subarray(at, at + p.beatBytes);
      poke(io.fromMac, {
        valid: 1,
        data: lanes.reduceRight((v, x) => (v << 8n) | BigInt(x), 0n),
        keep: (1n << BigInt(lanes.length)) - 1n,
        last: at + p.beatBytes >= f.length ? 1 : 0,
        user: 0,
      });
      await mac.risingEdge();
    }
    io.fromMac.valid.value = 0;
    await mac.cycles(b.random.between(0, t.gap));
  }
  await mac.until(() => sink.frames.length === n);
  await mac.cycles(2_000);
  expect(
    sink.frames.map(f => hex(f.bytes)),
    "frames to the MAC, in order",
  ).toEqual(sent.map(hex));
  expect(dry, "cycles in which the MAC runs dry within a frame").toBe(0);
  const good = received.frames.filter(f => Number(f.user) === 0).map(f => hex(f.bytes)),
    all = came.map(hex);
  expect(good.length + lost, "each frame is whole or lost").toBe(n);
  expect(good, "whole frames in order").toEqual(all.filter(f => good.includes(f)));
  return { whole: good.length, lost };
}
const run = (p: MacCrossingParameters, c: Clocks, t: Traffic, design: Dut<Ports> = MacCrossing(p)) => {
  let result = { whole: 0, lost: 0 };
  return runBench("crossing", design, { clocks: c, wave: false, seed: 3, hangCycles: 40_000 }, async b => {
    result = await bothWays(b, p, t);
  }).then(() => result);
};

describe.each(parameterSets)("MacCrossing, beats of $beatBytes bytes", p => {
  describe.each(Object.entries(clocks))("%s", (_name, c) => {
    test("with room for all, each frame comes whole", async () => {
      expect(await run(p, c, { toMac: bernoulli(0.3, 3), received: never, gap: 40 })).toEqual({ whole: 80, lost: 0 });
    });
    test("a design that pauses: what has no room is cut, marked and counted", async () => {
      const { whole, lost } = await run(p, c, { toMac: never, received: bernoulli(0.75, 4), gap: 8 });
      expect(whole).toBeGreaterThan(5);
      expect(lost).toBeGreaterThan(5);
    });
  });
  const hurried = { toMac: never, received: bernoulli(0.8, 4), gap: 0 },
    easy = { toMac: bernoulli(0.3, 3), received: never, gap: 40 };
  test.each([
    [
      "the MAC gets frames that are not whole yet",
      /assign pop_valid = head != start;/,
      "assign pop_valid = 1'b1;",
      easy,
    ],
    ["a cut frame's end is forgotten", /if \(begun\) owed <= 1'b1/, "if (begun) owed <= 1'b0", hurried],
    ["a frame that is cut is not counted", /assign lost = cut/, "assign lost = 1'b0", hurried],
  ] as const)("a planted fault is found: %s", (_what, from, to, traffic) =>
    findsFault(run(p, clocks["a fast MAC"], traffic, plant(MacCrossing(p), from, to))),
  );
});
