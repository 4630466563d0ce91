/** What comes back to one bank all the time holds up nobody who comes in. */
import { describe, expect, test } from "vitest";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, HeaderRig, type Held, type Ports } from "./support/header-rig.ts";

type B = Bench<Ports>;

/** Every header that comes back is of one bank: those that come in take the other one, a cycle each. */
async function oneBank(b: B): Promise<void> {
  const rig = new HeaderRig(b, "full"),
    count = 60;
  for (const bank of [0, 1]) {
    const there = [...(await rig.bring(0)), ...(await rig.bring(0))],
      back = there.find(h => h.ctx % 2 === bank) as Held,
      from = b.cycle,
      backs = Array.from({ length: count }, () => rig.back.send({ ctx: back.ctx, header: 0n, mask: 0n })),
      coming = Array.from({ length: count }, (_, i) => rig.send(i % 16));
    await b.until(() => coming.every(c => c.got.length === 1) && backs.every(s => s.cycle !== undefined));
    expect(b.cycle - from).toBeLessThan(count + 8);
    const banks = coming.map(c => (c.got[0] as Held).ctx % 2);
    // The first has come before it is known that one comes back.
    expect(banks.slice(2).filter(x => x === bank)).toEqual([]);
    for (const held of [...there, ...coming.map(c => c.got[0] as Held)]) rig.releaseSoon(held);
    await rig.end();
  }
}

describe("HeaderStore", () => {
  bench("a header in and one back in every cycle, all back to one bank", dut("full"), { seed: 1 }, oneBank);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 500, limitCycles: 20_000, seed: 4 }, oneBank);
    test("and nothing without one", () => look("no fault", dut("full")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["the bank that is written is not avoided", /likes = avoided_valid \? [^:]*:/, "likes = 1'b0 ? 1'b0 :"],
      ["the bank that is written is the one that is liked", /likes = avoided_valid \? ~/, "likes = avoided_valid ? "],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("full"), from, to)));
    });
  });
});
