/** Whose trailers a decoupler lets through, and who waits for a beat that is written: docs/supernic/reconfigure.md. */
import { describe, expect, it } from "vitest";
import { Decoupler } from "../../../../../designs/supernic/rtl/reconfigure/decoupler.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const sizes = [
  { contexts: 16, slots: 1, places: 4 },
  { contexts: 64, slots: 2, places: 8 },
] as const;
const dutOf = (p: (typeof sizes)[number]) => Decoupler({ ...p, reads: 1, writes: 1, trailers: 1 });
type Ports = ReturnType<typeof dutOf>["ports"];
function there<T>(port: T | undefined): T {
  if (port === undefined) throw new RangeError("there is such a port");
  return port;
}
const must = (is: boolean, what: string): void => {
  if (!is) throw new Error(what);
};

/** Packets enter and leave at random, beside a set of those inside: each context is asked for in turn. */
async function marked(
  b: Bench<Ports>,
  contexts: number,
): Promise<{ readonly justLeft: number; readonly held: number }> {
  const { io, random } = b,
    inside = new Set<number>(),
    seen = { justLeft: 0, held: 0 },
    // How many of these ports there are is a parameter.
    [writing, marks, marksOk] = [there(io["writing0"]), there(io["marks0"]), there(io["marksOk0"])];
  let left: number | undefined, leaving: number | undefined;
  Object.assign(io.cut, { value: 0 });
  io.reading.value = 0;
  io.innerEnter.ready.value = 1;
  io.innerAccepts.value = 1;
  io.innerGive.value = 0;
  io.leave.ready.value = 1;
  io.enter.valid.value = 0;
  io.innerLeave.valid.value = 0;
  writing.valid.value = 0;
  io.enter.payload.run.value = 0;
  io.innerLeave.payload.refund.value = 0;
  await b.cycles(contexts + 4);
  for (let i = 0; i < 40 * contexts; i++) {
    const ctx = random.below(contexts),
      comes = !inside.has(ctx) && ctx !== leaving && random.chance(0.5);
    io.enter.valid.value = comes ? 1 : 0;
    io.enter.payload.ctx.value = ctx;
    if (leaving === undefined && inside.size > 2 && random.chance(0.5)) leaving = random.pick([...inside]);
    io.innerLeave.valid.value = leaving === undefined ? 0 : 1;
    io.innerLeave.payload.ctx.value = leaving ?? 0;
    // A beat of this one waits for the store.
    const writes = random.chance(0.5) ? (leaving ?? 0) : random.below(contexts),
      isHeld = random.chance(0.4);
    writing.valid.value = isHeld ? 1 : 0;
    writing.ctx.value = writes;
    const asked = random.chance(0.3) ? (left ?? ctx) : random.chance(0.5) ? ctx : random.below(contexts);
    marks.value = asked;
    await b.risingEdge();
    const may = inside.has(asked) || left === asked;
    must((marksOk.value === 1) === may, `the trailer of ${asked} is ${may ? "thrown away" : "let through"}`);
    if (!inside.has(asked) && left === asked) seen.justLeft++;
    if (comes && io.enter.ready.value === 1) inside.add(ctx);
    left = undefined;
    if (leaving === undefined) continue;
    const goes = io.innerLeave.ready.value === 1,
      waits = isHeld && writes === leaving;
    must(goes === !waits, `${leaving} ${goes ? "leaves while its beat is written" : "is held up by another's beat"}`);
    if (waits) seen.held++;
    if (!goes) continue;
    inside.delete(leaving);
    left = leaving;
    leaving = undefined;
  }
  return seen;
}
const run = (p: (typeof sizes)[number], dut: Dut<Ports>) =>
  runBench("trailer marks", dut, { seed: 5, wave: false, limitCycles: 20_000 }, b => marked(b, p.contexts));

describe("a decoupler knows whose trailers and beats are whose", () => {
  for (const p of sizes)
    it(`${p.contexts} packets`, async () => {
      const { justLeft, held } = await run(p, dutOf(p));
      expect(justLeft).toBeGreaterThan(10);
      expect(held).toBeGreaterThan(10);
    });
  const [small] = sizes,
    dut = dutOf(small);
  const faults: readonly (readonly [string, RegExp, string])[] = [
    ["everybody's trailer goes through", /(marks_ok0 = )[^;]*;/, "$11'b1;"],
    ["who has just left has no trailer", /has_left & /, "1'b0 & "],
    ["whoever it was that left", /left_last == marks0/, "1'b1"],
    ["who left keeps his trailer for ever", /has_left <= [^;]*;/, "has_left <= has_left | leaves;"],
    ["a beat that is written holds everybody", /writing0_ctx == inner_leave_payload_ctx/, "1'b1"],
    ["a beat that is written holds nobody", /(assign may_leave = open) [^;]*;/, "$1;"],
  ];
  it.each(faults)("a planted fault is found: %s", (_name, from, to) =>
    findsFault(run(small, plant(dut, from, to)).then(() => undefined)),
  );
});
