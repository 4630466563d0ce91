/** What is known of packets and said of them, against a map: every context, every field, again after a reset. */
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { Descriptors } from "../../../../../designs/supernic/rtl/core/index.ts";
import { type Bench, type Dut, peek, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyValue, scramble } from "../../support/any-value.ts";

const contexts = 64,
  dut = Descriptors({ contexts, cells: 64 });
type Ports = typeof dut.ports;
type B = Bench<Ports>;
type Arrives = ReturnType<typeof peek<B["io"]["packet"]>>;
type Says = ReturnType<typeof peek<B["io"]["front"]>>;
const nothing: Says = { prepend: 0, frontBytes: 0, dropFront: 0, reply: 0 };

/** The first that puts or leaves out something counts, and a reply of any. */
function both(before: Says | undefined, now: Says): Says | undefined {
  if (now.prepend === 0 && now.dropFront === 0 && now.reply === 0) return before;
  if (before === undefined) return now;
  const first = before.prepend !== 0 ? before : now;
  return {
    ...{ prepend: first.prepend, frontBytes: first.frontBytes },
    dropFront: before.dropFront !== 0 ? before.dropFront : now.dropFront,
    reply: before.reply | now.reply,
  };
}
/** Compares what is compared in every cycle: a matcher would take longer than the rest. */
function same(what: string, is: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(is, wanted)) expect(is, what).toEqual(wanted);
}
/** After a reset all contexts are cleared, one a cycle, and no longer. */
async function clears(b: B): Promise<void> {
  for (let i = 0; i < contexts; i++) {
    await b.cycles(1);
    expect(b.io.clearing.value, `cycle ${i}`).toBe(1);
  }
  await b.cycles(1);
  expect(b.io.clearing.value).toBe(0);
}
const quiet = (b: B): void => {
  for (const port of [b.io.arrive, b.io.said, b.io.release]) {
    scramble(b.random, port);
    port.valid.value = 0;
  }
};

async function lifetimes(b: B, rounds = 3): Promise<void> {
  const { random: r, io } = b,
    packets = new Map<number, Arrives>();
  for (let round = 0; round < rounds; round++) {
    quiet(b);
    io.tell.value = io.look.value = 0;
    if (round > 0) b.sim.reset(1);
    // A reset in the middle of the clearing begins it anew.
    if (round === 1) {
      await b.cycles(r.below(contexts));
      b.sim.reset(1);
    }
    await clears(b);
    const fronts = new Map<number, Says>();
    let asked:
      { readonly tell: Arrives | undefined; readonly look: Arrives | undefined; readonly front: Says } | undefined;
    for (let n = 0; n < 1000; n++) {
      quiet(b);
      // Few contexts, so that much is said of each; and all of them at first.
      const any = (): number =>
        n < 3 * contexts ? n % contexts : r.pick([r.below(4), r.below(contexts), contexts - 1]);
      const [arrives, says, releases] = [any(), any(), r.below(contexts)],
        says1 = says !== releases && r.chance(0.6);
      const look = r.chance(0.1) ? arrives : any(),
        tell = r.chance(0.1) ? arrives : any();
      const packet = { ...anyValue(r, io.arrive.packet), ctx: arrives },
        front: Says = {
          ...{ prepend: r.chance(0.5) ? 0 : r.below(256), frontBytes: r.below(128) },
          ...{ dropFront: r.chance(0.5) ? 0 : r.below(128), reply: r.below(2) },
        };
      if (n < contexts || r.chance(0.3)) {
        poke(io.arrive, { valid: 1, packet });
        packets.set(arrives, packet);
      }
      [io.tell.value, io.look.value] = [tell, look];
      // Who looks at what is said, or forgotten, in this cycle may see either.
      const wanted = fronts.get(look) ?? nothing;
      const before = { tell: packets.get(tell), look: packets.get(look), front: wanted };
      const settled = look !== says && look !== releases;
      if (says1) {
        poke(io.said, { valid: 1, ctx: says, front });
        const now = both(fronts.get(says), front);
        if (now !== undefined) fronts.set(says, now);
      }
      if (r.chance(0.2)) {
        poke(io.release, { valid: 1, ctx: releases });
        fronts.delete(releases);
      }
      await b.cycles(1);
      if (asked?.tell) {
        const { uid, user, ingress, flowHash, headBytes, payloadBytes, noL4 } = asked.tell;
        same("told", peek(io.told), { uid, user, ingress, flowHash, headBytes, payloadBytes, noL4 });
      }
      if (asked?.look) same("the packet", peek(io.packet), asked.look);
      if (asked && asked.front !== unknown) same("the front", peek(io.front), asked.front);
      asked = settled ? before : { ...before, front: unknown };
    }
  }
}
const unknown: Says = { ...nothing };

describe("Descriptors", () => {
  bench("each field of each context, as it came and was said", dut, { seed: 1 }, lifetimes);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, limitCycles: 20_000, seed: 4 }, b => lifetimes(b, 2));
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["the last that puts something counts", /has_prepend \? /, "1'b0 ? "],
      ["a reply is forgotten", /said_front_reply \| /, "1'b0 | "],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
