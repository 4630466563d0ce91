/** XON, to the cycle; and what leaves in the cycle in which a link begins anew. */
import { describe, expect, test } from "vitest";
import { snicEtherType } from "../../../../../designs/supernic/wire/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import type { EndBench } from "./support/hardware-end.ts";
import { dut, PortRig } from "./support/port-rig.ts";

type Ports = ReturnType<typeof dut>["ports"];
const typeOf = (bytes: Uint8Array): number => ((bytes[12] ?? 0) << 8) | (bytes[13] ?? 0);
/** Cycles from a frame of PFC to the next one that lets go, at the least. */
const least = 256;

/** A queue that falls at once is told so when the time has gone by, and in the very next cycle. */
async function xonTime(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: false }),
    pauses = (): number[] => rig.out.filter(f => typeOf(f.bytes) === snicEtherType.macControl).map(f => f.cycle);
  for (let round = 0; round < 3; round++) {
    rig.out.splice(0);
    b.io.full.value = 0b100;
    await b.until(() => pauses().length === 1);
    b.io.full.value = 0;
    await b.until(() => pauses().length === 2);
    const [off = NaN, on = NaN] = pauses();
    // The cycle in which a wish is made, and the one in which it holds.
    expect(on - off).toBe(least + 1);
    await b.cycles(600);
  }
  await rig.done();
}
/** The link begins anew in every cycle about a frame that grows by a beat: what ends in it is marked bad. */
async function restInTime(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true });
  let broken = 0;
  for (let after = 0; after < 16; after++) {
    rig.out.splice(0);
    rig.give(60 + 4);
    const from = b.cycle;
    await b.cycles(after + 1);
    b.io.restart.value = 1;
    await b.cycles(1);
    b.io.restart.value = 0;
    // A cycle to each of two registers: what is dropped then stands on the line behind a third.
    const at = b.cycle + 2;
    await b.cycles(20);
    for (const f of rig.out.filter(o => o.cycle === at)) {
      expect(f.bad, `a frame that ends ${f.cycle - from} cycles behind`).toBe(true);
      broken++;
    }
  }
  expect(broken).toBeGreaterThan(0);
  await rig.done();
}

const runs = { xonTime, restInTime };
describe("a port", () => {
  bench("lets go of a class when its time has gone by", dut("small"), { seed: 1 }, xonTime);
  bench("marks what ends as the link begins anew", dut("small"), { seed: 2 }, restInTime);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 3000, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["XON too early", /since_sent == (\d+)'d254/, "since_sent == $1'd252"],
      ["XON a cycle too late", /since_sent == (\d+)'d254/, "since_sent == $1'd255"],
      ["the rest of a frame is good in the cycle in which all is dropped", "spill_bad | clear", "spill_bad"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
