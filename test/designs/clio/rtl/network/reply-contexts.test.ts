/** The reply contexts by themselves: what is kept stays until the slot is written, and what was read until the next. */
import { describe, expect, test } from "vitest";
import { ReplyContexts } from "../../../../../designs/clio/rtl/network/reply-contexts.ts";
import type { ReplyContext } from "../../../../../designs/clio/rtl/records/records.ts";
import { type Bench, type InputOf, poke, type Random, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const parameters = { slots: 8 },
  dut = ReplyContexts(parameters);
type Context = InputOf<typeof ReplyContext>;

const randomContext = (random: Random): Context => ({
  kind: random.pick(["clio", "icmp", "arp"] as const),
  mac: random.bits(48),
  ip: random.word(),
  clientPort: random.below(0x1_0000),
  nodePort: random.below(0x1_0000),
  header: random.bits(128),
  body: random.bits(96),
  published: random.below(2),
  ipLength: random.below(0x1_0000),
  icmpChecksum: random.below(0x1_0000),
  ipHeader: random.bits(96),
});

/** Writes and reads in any cycle, never of one slot in the same; slot and value change without a write, too. */
async function run(b: Bench<typeof dut.ports>, cycles: number): Promise<void> {
  const { io, random } = b,
    kept = new Map<number, Context>();
  let shown: Context | undefined;
  for (let i = 0; i < cycles; i++) {
    const en = random.chance(0.4),
      slot = random.below(parameters.slots),
      value = randomContext(random),
      asked = random.below(parameters.slots),
      reads = kept.has(asked) && !(en && asked === slot) && random.chance(0.5);
    poke(io.write, { en: +en, slot, value });
    poke(io.read, { en: +reads, slot: asked });
    await b.risingEdge();
    if (reads) shown = kept.get(asked);
    if (en) kept.set(slot, value);
    if (shown === undefined) continue;
    b.sim.settle();
    for (const [name, wanted] of Object.entries(shown)) {
      const got = io.value[name as keyof Context].value;
      expect(typeof wanted === "bigint" ? BigInt(got) : got, `${name} in cycle ${i}`).toBe(wanted);
    }
  }
  expect(kept.size, "slots with a context").toBe(parameters.slots);
}

describe("ReplyContexts", () => {
  test("every context as it was written, and as long as nobody reads another", () =>
    runBench("contexts", dut, { seed: 1 }, b => run(b, 600)));
  test.each<[string, string | RegExp, string]>([
    ["a context is written without an order", /if \(write_en\)/, "if (1'b1)"],
    ["what was read changes without a read", /if \(read_en\)/, "if (1'b1)"],
  ])("a planted fault is found: %s", (name, from, to) =>
    findsFault(
      runBench(name, plant(dut, from, to), { wave: false, seed: 1 }, b => run(b, 600)),
      / in cycle /,
    ),
  );
});
