/** A frame that pauses on its way to the line: an error stands in the cycles of the pause, and in no others. */
import { expect, test } from "vitest";
import { GmiiTransmitter } from "../../../../hdl-dsl/index.ts";
import { type Bench, type Design, designOf, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const dut = GmiiTransmitter(),
  preamble = 8,
  length = 64;

async function pauses(b: Bench<typeof dut.ports>): Promise<void> {
  const { from, line } = b.io;
  for (const [at, cycles] of [
    [5, 1],
    [20, 3],
    [length - 1, 2],
  ] as const) {
    const errors: number[] = [];
    let sent = 0,
      left = cycles as number,
      place = 0,
      wasOn = 0;
    await b.cycles(20);
    from.payload.keep.value = 1;
    while (sent < length || wasOn === 1) {
      const rests = sent === at && left > 0;
      from.valid.value = sent < length && !rests ? 1 : 0;
      from.payload.data.value = sent;
      from.payload.last.value = sent === length - 1 ? 1 : 0;
      await b.cycles(1);
      if (line.en.value === 1) {
        if (line.er.value === 1) errors.push(place);
        place++;
      } else expect(line.er.value, "an error on an idle line").toBe(0);
      wasOn = line.en.value;
      if (rests) left--;
      else if (from.ready.value === 1 && sent < length) sent++;
    }
    expect(errors).toEqual(Array.from({ length: cycles }, (_, i) => preamble + at + i));
  }
}
const run = (of: Design<typeof dut.ports>): Promise<void> =>
  runBench("pauses", of, { wave: false, hangCycles: 500 }, pauses);

test("an error stands in each cycle of a pause", () => run(designOf(dut)));
test("a planted fault is found: there is none", () =>
  findsFault(run(plant(dut, /line_er_q <= [^;1]*~from_valid[^;]*;/, "line_er_q <= 1'b0;"))));
