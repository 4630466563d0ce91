import {
  bit,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, counter, numberAgo, saturated } from "../drf/index.ts";
import { EntryWrite, inlets, ownEntry, userClasses } from "../inside/index.ts";
import { fairName, type FairParameters, fairUserBits, fairUsers, tallyBits, userPlaces } from "./parameters.ts";
import { backlogOf, countsOf, everOf, hiddenOf } from "./demand-counts.ts";
import { Demand, Offered, TakenFrame } from "./records.ts";

const demandPorts = (p: FairParameters) => ({
  /** By inlet, the loop port last. */
  offered: input(vec(Offered, inlets(p))),
  taken: input(TakenFrame),
  /** By port, class queues of users that have asked for a pause. */
  paused: input(vec(uint(userClasses), p.ports)),
  /** Users whose own meter holds them. */
  dry: input(uint(p.users)),
  users: input(EntryWrite("user")),
  /** Bytes that a port can bring in an epoch. */
  portBytes: input(uint(f.rateBits)),
  ends: input(bit),
  /** Of each user in its order, behind `ends`. */
  demand: output(Demand(p)),
});

/** Added two by two, behind a register each. */
function added(name: string, list: readonly UInt[], wraps: boolean): UInt {
  let level = 0,
    now = [...list];
  while (now.length > 1) {
    const width = (now[0] as UInt).width + (wraps ? 0 : 1);
    now = Array.from({ length: Math.ceil(now.length / 2) }, (_, i) => {
      const a = (now[2 * i] as UInt).zext(width),
        b = now[2 * i + 1]?.zext(width);
      return numberAgo(`${name}_${level}_${i}`, b === undefined ? a : a.add(b), 1);
    });
    level++;
  }
  return now[0] as UInt;
}
const levelsOf = (count: number): number => Math.ceil(Math.log2(count));
/** Cycles from `ends` to the demand of the first user. */
export const demandLatency = (p: FairParameters): number => 6 + levelsOf(inlets(p));

/**
 * What each user asks for: bytes that were offered in an epoch, and those that wait in class queues at its end. Where
 * a pause hides what a port could bring, the port counts as a whole (docs/supernic/monitors.md). What comes in the
 * cycle of `ends` counts for the epoch that ends. Latency from `ends`: `demandLatency` to the first user, then one a
 * cycle. Nothing waits; `ends` comes as many cycles apart as there are users, and those, at least. Reset: counts and
 * backlogs are 0, and no port has brought anything; classes stay.
 */
export const DemandMonitor = module(
  "DemandMonitor",
  (p: FairParameters) => demandPorts(p),
  (io, p) => {
    const userBits = fairUserBits(p),
      turn = counter("walk_user", fairUsers(p), userBits),
      walks = reg(bit, { init: 0, name: "walks" });
    when(ago("begins", io.ends, 1), () => walks.set(1)).elseWhen(turn.last, () => walks.set(0));
    when(walks, () => turn.step());
    const user = turn.value,
      counts = countsOf(p, { offered: io.offered.toArray(), taken: io.taken, ends: io.ends }, user);
    const classes = ram(uint(2), {
      depth: userPlaces(p),
      collision: "old",
      style: "distributed",
      init: [0],
      name: "user_classes",
    });
    classes.write(
      ownEntry(io.users, p.users),
      io.users.index.resize(userBits).is(userBits),
      io.users.value.class.is(2),
    );
    const paused = io.paused.toArray().map((now, i) => everOf(`paused_${i}`, now, io.ends)),
      dry = everOf("dry", io.dry, io.ends),
      hides = hiddenOf(p, user, walks, { paused, dry, userClass: classes.readAsync(user) }, counts.some),
      backlog = backlogOf(p, user, walks, turn.last);

    // What was counted; what ports could bring; all inlets together; what waits; both.
    const offered = counts.offered.map((bytes, i) => {
      const read = numberAgo(`offered_${i}`, bytes, 1),
        hidden = hides[i];
      if (hidden === undefined) return numberAgo(`brings_${i}`, read, 1);
      const more = node(io.portBytes.gt(read), { name: `brings_more_${i}` });
      return numberAgo(`brings_${i}`, mux(ago(`hidden_${i}`, hidden, 1).and(more), io.portBytes, read), 1);
    });
    const late = 2 + levelsOf(inlets(p)),
      allOffered = added("offered", offered, false),
      allKept = added(
        "kept",
        counts.kept.map((k, i) => numberAgo(`kept_${i}`, k, 2)),
        true,
      );
    const had = numberAgo("had", backlog.before.sub(counts.taken), late),
      waits = numberAgo("waits", had.add(allKept), 1),
      valid = ago("walked", walks, late + 1),
      whose = numberAgo("walked_user", user, late + 1).is(userBits);
    backlog.write(valid, whose, waits);
    const wide = allOffered.width + 1,
      both = node(numberAgo("all_offered", allOffered, 1).zext(wide).add(waits.zext(wide)), { name: "asked" });
    const demand = reg(Demand(p), { init: { valid: 0 }, name: "demand_q" });
    demand.set({
      valid,
      user: whose,
      bytes: saturated("demand", both, f.rateBits).is(f.rateBits),
      taken: numberAgo("walked_taken", counts.taken, late + 1).is(tallyBits),
    });
    io.demand.set(demand);
  },
  { nameOf: p => `DemandMonitor_${fairName(p)}` },
);
