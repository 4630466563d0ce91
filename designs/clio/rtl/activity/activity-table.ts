import { bit, input, module, mux, node, output, reg, sink, source, uint, when } from "../../../../hdl-dsl/index.ts";
import { Candidate, oldestOfRow, seen } from "./candidate.ts";
import { activityLanes } from "./lanes.ts";
import {
  ActivityCommand,
  activityOp,
  type ActivityParameters,
  ActivityResult,
  ActivityStamp,
  laneBits,
  regionBits,
} from "./records.ts";

/**
 * When each region was written last, and which of those that software has enrolled was written longest ago
 * (docs/valet.md; Valet, section 3.5). A stamp is taken in every cycle and never waits; it counts from the next cycle
 * on. A scan takes rows + 7 cycles, twice that when its first choice is written meanwhile, and a pass more when it
 * finds the table at its own upkeep: with 4,096 regions at most 3,095 cycles. Withdrawing takes a cycle, enrolling one
 * in which no stamp comes. One command at a time; a result stays until it is taken.
 *
 * Stamps wrap. A pass over the table, every 2^(stampBits - 4) ticks and with each scan, moves those older than a
 * quarter of all stamps up to it. A pass gives way to stamps, and runs again for those that it left. `overdue`: stamps
 * in nearly every cycle have left it no room for so long that ages may soon be wrong; it stays until reset. Reset
 * enrolls no region, which takes as many cycles as there are rows.
 */
export const ActivityTable = module(
  "ActivityTable",
  (p: ActivityParameters) => ({
    stamp: input(ActivityStamp(p)),
    command: sink(ActivityCommand(p)),
    result: source(ActivityResult(p)),
    overdue: output(bit),
  }),
  (io, p) => {
    const rowBits = regionBits(p) - laneBits,
      flag = (name: string, init: 0 | 1 = 0) => reg(bit, { init, name });
    const clearing = flag("clearing", 1),
      enrolling = flag("enrolling"),
      passing = flag("passing"),
      issuing = flag("issuing"),
      ending = flag("ending"),
      scanning = flag("scanning"),
      again = flag("again"),
      holds = flag("holds"),
      row = reg(uint(rowBits), { init: 0, name: "row" });

    // Time, and when the stamps want looking after.
    const cycles = reg(uint(p.tickBits), { init: 0, name: "cycles" }),
      now = reg(uint(p.stampBits), { init: 0, name: "now" }),
      period = node(cycles.all().and(now.trunc(p.stampBits - 4).all()), { name: "period" });
    cycles.set(cycles.add(1));
    when(cycles.all(), () => now.set(now.add(1)));
    const due = flag("due"),
      covers = flag("covers"),
      yields = flag("yields"),
      overdue = flag("is_overdue");
    when(period.and(due), () => overdue.set(1));
    io.overdue.set(overdue);

    // Commands. Upkeep goes first, but lets one command through between two passes.
    const rests = node(clearing.or(enrolling).or(passing).not(), { name: "rests" });
    io.command.ready.set(rests.andNot(holds).and(due.not().or(yields)));
    const { op, region } = io.command.payload,
      takes = node(io.command.fire, { name: "takes" }),
      starts = node(takes.and(op.bit(1)), { name: "starts" }),
      tends = node(rests.and(due).andNot(yields.and(takes)), { name: "tends" }),
      enrolled = reg(uint(regionBits(p)), { name: "enrolled" });
    when(takes, () => enrolled.set(region));
    when(takes.and(op.eq(activityOp.enroll)), () => enrolling.set(1));

    // The memories, and the ages that come out of them.
    const base = reg(uint(p.stampBits), { init: 0, name: "base" }),
      enrolls = node(enrolling.andNot(io.stamp.en), { name: "enrolls" });
    when(enrolls, () => enrolling.set(0));
    const stored = activityLanes(p, {
      stamp: io.stamp,
      now,
      base,
      row,
      issuing,
      clearing,
      live: { en: takes.and(op.bit(1).not()), region, value: op.bit(0) },
      enroll: { en: enrolls, region: enrolled },
    });

    // The oldest so far.
    const best = reg(Candidate(p), { name: "best" }),
      ofRow = seen(p, "row_now", io.stamp, oldestOfRow(p, io.stamp, stored.row)),
      bestNow = seen(p, "best_now", io.stamp, best),
      at = ["at_3", "at_4", "at_5"].map(name => flag(name)),
      lastAt = ["last_3", "last_4", "last_5"].map(name => flag(name));
    [stored.valid, ...at].slice(0, 3).forEach((v, i) => at[i]?.set(v));
    [stored.last, ...lastAt].slice(0, 3).forEach((v, i) => lastAt[i]?.set(v));
    const valid = at[2] as typeof issuing,
      isOlder = node(valid.and(ofRow.live).and(best.live.not().or(ofRow.age.gt(best.age))), { name: "is_older" });
    best.set(mux(isOlder, ofRow, bestNow));
    ending.set(valid.and(lastAt[2] as typeof issuing));

    // A pass: its rows, its verdict, and whether it has tended to every stamp.
    const spoilt = node(scanning.andNot(again).and(best.live).and(bestNow.touched), { name: "spoilt" }),
      ends = node(ending.andNot(spoilt), { name: "ends" }),
      begins = node(starts.or(tends).or(ending.and(spoilt)), { name: "begins" }),
      skipped = flag("skipped");
    when(clearing.or(issuing), () => row.set(row.add(1)));
    when(clearing.and(row.all()), () => clearing.set(0));
    when(issuing.and(row.all()), () => issuing.set(0));
    when(stored.skips, () => skipped.set(1));
    when(ending, () => {
      passing.set(0);
      yields.set(1);
      when(covers.andNot(skipped), () => due.set(0));
    }).elseWhen(takes.or(io.command.valid.not()), () => yields.set(0));
    when(ends.and(scanning), () => {
      holds.set(1);
      scanning.set(0);
    });
    when(io.result.fire, () => holds.set(0));
    when(begins, () => {
      passing.set(1);
      issuing.set(1);
      base.set(now);
      covers.set(due);
      skipped.set(0);
      again.set(ending);
      best.live.set(0);
      best.touched.set(0);
    });
    when(starts, () => scanning.set(1));
    when(period, () => due.set(1));

    const told = reg(ActivityResult(p), { name: "told" });
    when(ends.and(scanning), () =>
      told.set({ found: best.live, touched: bestNow.touched.and(best.live), region: best.region, age: best.age }),
    );
    io.result.valid.set(holds);
    io.result.payload.set(told);
  },
  { nameOf: p => `ActivityTable_n${p.regions}_s${p.stampBits}_t${p.tickBits}` },
);
