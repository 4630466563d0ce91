/** Timers of pauses, and what makes them: each class by itself, and every time from both sides. */
import { describe, expect, test } from "vitest";
import {
  PauseSender,
  PauseTimers,
  quantaToCycles,
  refreshCycles,
} from "../../../../../designs/supernic/rtl/link/pause.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import type { Ports } from "../../../../../hdl-dsl/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { scramble } from "../../support/any-value.ts";

const timers = PauseTimers(),
  quanta = { pauseQuanta: 1024 } as const,
  sender = PauseSender(quanta);
const classes = 8;

/** Pauses of few quanta and of many, set anew in the middle, and ended by a 0; what is not enabled stays. */
async function timesToTheQuantum(b: Bench<typeof timers.ports>): Promise<void> {
  const { random: r, io } = b,
    perQuantum = quantaToCycles(1),
    lists = Array.from({ length: classes }, () => ({ quanta: 0, since: 0 }));
  let ended = 0;
  for (let n = 0; n < 12_000; n++) {
    scramble(r, io.pfc);
    const sets = r.chance(n % 4000 < 2000 ? 0.02 : 0.002);
    io.pfc.valid.value = sets ? 1 : 0;
    if (r.chance(0.5)) io.pfc.enabled.value = 1 << r.below(classes);
    for (const time of io.pfc.times) time.value = r.pick([0, 1, 2, 3, r.below(40), r.below(500), time.num]);
    await b.cycles(1);
    lists.forEach((l, k) => {
      const paused = (io.paused.num >> k) & 1,
        least = Math.floor(l.since / perQuantum),
        most = Math.ceil(l.since / perQuantum);
      if (most < l.quanta && paused === 0)
        throw new Error(`class ${k} goes after ${l.since} cycles of ${l.quanta} quanta`);
      if (least >= l.quanta && paused === 1)
        throw new Error(`class ${k} is paused ${l.since} cycles for ${l.quanta} quanta`);
      if (least === l.quanta && l.quanta > 0) ended++;
      l.since++;
      if (sets && (io.pfc.enabled.num >> k) & 1) Object.assign(l, { quanta: io.pfc.times[k]!.num, since: 0 });
    });
    if (r.chance(0.0005)) {
      io.pfc.valid.value = 0;
      b.sim.reset(1);
      for (const l of lists) Object.assign(l, { quanta: 0, since: 0 });
    }
  }
  expect(ended).toBeGreaterThan(100);
}

/** Queues that flutter, stay full, or fall, told at once or late: what is wished, in every cycle. */
async function wishes(b: Bench<typeof sender.ports>): Promise<void> {
  const { random: r, io } = b,
    refresh = refreshCycles(quanta),
    /** An XON's distance from the frame before; nothing has been told for as long after a reset. */
    least = 256;
  let [told, full, age] = [0, 0, 0],
    wish = { due: false, stops: 0, goes: 0 },
    flutter = 0.1,
    hold = 0;
  const seen = { xoff: 0, xon: 0, refresh: 0 };
  for (let n = 0; n < 30_000; n++) {
    if (n % 1000 === 0) flutter = r.pick([0.1, 0.01, 0.004, 0.004]);
    if (r.chance(flutter)) io.full.value = r.chance(0.3) ? 0 : r.below(1 << io.full.width);
    // A frame can tell only what is due, some time after it is; about the times in which others become due, too.
    const sent = wish.due && age >= hold && r.chance(hold > 0 ? 0.5 : 0.2);
    if (sent) hold = r.pick([0, 0, r.between(least - 5, least + 2), r.between(refresh - 5, refresh + 2)]);
    io.sent.value = sent ? 1 : 0;
    await b.cycles(1);
    if ((io.wish.due.value === 1) !== wish.due) throw new Error(`due is ${!wish.due}, ${age} cycles after a frame`);
    if (wish.due) {
      expect(io.wish.enabled.num).toBe(wish.stops | wish.goes);
      expect(io.wish.times.map(t => t.num)).toEqual(
        Array.from({ length: classes }, (_, k) => ((wish.stops >> k) & 1 ? quanta.pauseQuanta : 0)),
      );
    }
    if (sent) {
      if (wish.goes !== 0) seen.xon++;
      if ((wish.stops & ~told) !== 0) seen.xoff++;
      if (wish.goes === 0 && (wish.stops & ~told) === 0 && wish.stops !== 0) seen.refresh++;
    }
    const goes = age >= least - 1 ? told & ~full : 0,
      due = !sent && ((full & ~told) !== 0 || goes !== 0 || (age >= refresh && full !== 0));
    told = sent ? (told & ~wish.goes) | wish.stops : told;
    wish = { due, stops: full, goes };
    full = io.full.num;
    age = sent ? 0 : age + 1;
    if (r.chance(0.0003)) {
      io.sent.value = 0;
      b.sim.reset(1);
      [told, full, age] = [0, 0, 0];
      wish = { due: false, stops: 0, goes: 0 };
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(2);
}

describe("parts of pauses", () => {
  testOfResets(timers, {}, timesToTheQuantum);
  testOfResets(sender, {}, wishes);
  bench("a pause lasts for its time to within a quantum", timers, { seed: 1 }, timesToTheQuantum);
  bench("XOFF at once and again, XON when its time has come", sender, { seed: 2 }, wishes);

  describe("a planted fault is found", () => {
    const look = <P extends Ports>(name: string, design: Dut<P>, run: (b: Bench<P>) => Promise<void>) =>
      runBench(name, design, { wave: false, limitCycles: 60_000, seed: 4 }, run);
    test("and nothing without one", async () => {
      await look("timers", timers, timesToTheQuantum);
      await look("sender", sender, wishes);
    });
    const ofTimers: readonly (readonly [string, string | RegExp, string])[] = [
      ["two quanta at once", "left_4 - 16'd1", "left_4 - 16'd2"],
      ["the mark of another class", "pfc_enabled[4]", "pfc_enabled[5]"],
      ["a time of another class", "left_6 <= pfc_times_6", "left_6 <= pfc_times_7"],
      ["quanta that are too short", "phase} + 6'd25", "phase} + 6'd26"],
    ];
    test.each(ofTimers)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(timers, from, to), timesToTheQuantum));
    });
    const ofSender: readonly (readonly [string, string | RegExp, string])[] = [
      ["XOFF is told again too late", "since_sent == 9'd327", "since_sent == 9'd328"],
      ["XOFF is told again of queues that have fallen", "refresh_due & (|full_q)", "refresh_due"],
    ];
    test.each(ofSender)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(sender, from, to), wishes));
    });
  });
});
