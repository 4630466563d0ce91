/** A timer wakes nobody but those who read it: the registers beside it stand still, and are not asked. */
import { expect, test } from "vitest";
import { bit, input, module, node, output, reg, uint, when } from "../../../hdl-dsl/index.ts";
import { simulate } from "../../../sim/index.ts";

const PLACES = 24,
  CYCLES = 1600;

/** Each place takes what comes in whenever the timer is at its end, or when it is told to. */
const Timed = module(
  "Timed",
  () => ({ often: input(bit), a: input(uint(16)), q: output(uint(16)) }),
  io => {
    const timer = reg(uint(4), { init: 0, name: "timer" });
    timer.set(timer.add(1));
    const look = node(timer.all().or(io.often), { name: "look" });
    let last = io.a;
    for (let i = 0; i < PLACES; i++) {
      const place = reg(uint(16), { init: 0, name: `place_${i}` }),
        from = last;
      when(look, () => place.set(from.mul(from).add(i).trunc(16)));
      last = place;
    }
    io.q.set(last);
  },
);
/** One bit is looked at after the other, for as long as there is nothing to do. */
const Watched = module(
  "Watched",
  () => ({ often: input(bit), a: input(uint(16)), q: output(uint(16)) }),
  io => {
    const turn = reg(uint(4), { init: 0, name: "turn" }),
      seen = reg(bit, { init: 0, name: "seen" });
    when(io.often.not(), () => turn.set(turn.add(1)));
    seen.set(io.a.shr(turn).bit(0));
    let last = io.a;
    for (let i = 0; i < PLACES; i++) {
      const place = reg(uint(16), { init: 0, name: `place_${i}` });
      place.set(last.mul(io.often.zext(16)).add(i).trunc(16));
      last = place;
    }
    io.q.set(last.xor(seen.zext(16)));
  },
);

/** What a run costs while inputs stand still, or change at each edge. */
async function costOf(dut: typeof Timed, moving: boolean): Promise<number> {
  using sim = await simulate(dut(), { profile: true });
  sim.io.often.value = moving ? 1 : 0;
  for (let i = 0; i < CYCLES; i++) {
    sim.io.a.value = moving ? (i * 40503) % 65536 : 7;
    sim.step();
  }
  return sim.profile().modules.reduce((sum, m) => sum + m.cost, 0);
}

for (const [name, dut] of [
  ["beside a timer", Timed],
  ["beside what looks at one thing after the other", Watched],
] as const)
  test(`registers ${name} cost next to nothing while they stand still`, async () => {
    expect(await costOf(dut, false)).toBeLessThan((await costOf(dut, true)) / 3);
  });
