import { expect } from "vitest";
import { bernoulli, type Bench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { type EndIo, HardwareEnd, plainFrame } from "./support/hardware-end.ts";
import { LinkPair, parameterSets, sideOf } from "./support/link-end.ts";

const dut = LinkPair(parameterSets.full);
bench("smoke", dut, { seed: 1 }, async b => {
  const r = b.random;
  const ends = (["a", "b"] as const).map(
    side => new HardwareEnd(b as unknown as Bench<never>, sideOf<EndIo>(b.io, side), { reliable: true }),
  );
  const [x, y] = ends as [HardwareEnd, HardwareEnd];
  x.onFrame = f => {
    y.comes(r.chance(0.02) ? { ...f, bad: true } : f);
  };
  y.onFrame = f => {
    if (!r.chance(0.02)) x.comes(f);
  };
  const sent: Uint8Array[][] = [[], []];
  for (let i = 0; i < 600; i++)
    for (const [k, e] of ends.entries()) {
      const f = plainFrame(r, r.between(40, 300));
      sent[k]?.push(f);
      e.give(r.chance(0.9) ? k : 1 - k, { bytes: f, class: i % 8, marked: false });
    }
  await b.until(() => ends.every(e => e.idle));
  console.log(b.cycle, x.counts, x.own, x.refused, y.counts, y.own, y.refused);
  expect(y.taken.length).toBe(600);
  expect(x.taken.length).toBe(600);
});
