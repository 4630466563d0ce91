import {
  assertAlways,
  atMostOne,
  cat,
  connect,
  constant,
  encodeOnehot,
  module,
  mux,
  node,
  when,
} from "../../../../hdl-dsl/index.ts";
import { derived } from "../../config/index.ts";
import { decisionOf } from "./decision.ts";
import { nextOp } from "./next.ts";
import { partsOf } from "./parts.ts";
import { lookupPorts } from "./ports.ts";
import { readSet } from "./read.ts";
import { findVictim } from "./victim.ts";
import { setAfter } from "./written.ts";

/**
 * The tags of the ExCache (LegoOS §3.4.2): which requests hit, who leaves for those that do not, and who waits for
 * what. A tag memory for each way is read at once; all else of a set is one word. Everything that changes a set goes
 * through two stages, so that each request sees what all before it have done.
 *
 * Latency: 2 cycles from `request` to the decision, 1 more to `access`, none to
 * `early`. Initiation interval 1 for hits. A miss stops
 * the stages for 6 cycles at least, until the hits before it have gone to the line memory. A request for a line that
 * is under way waits for it; one for a line that is leaving waits until that is safe. Both kinds are looked up again
 * in their order, before new ones. Full (no miss, no place to wait, no way that could leave): the oldest request is
 * looked up again until there is; none passes it. Reset: sets are cleared, one a cycle; then requests are taken.
 */
export const Lookup = module(
  "ExCacheLookup",
  lookupPorts,
  (io, p) => {
    const parts = partsOf(io, p),
      { firstValid, second, secondValid, secondSet, victimDirty, holds, had, fetches } = parts.stages,
      { running, kills, settles, begun } = parts.orders;
    const { d, requests, known, lists, beginsAccess } = decisionOf(parts);
    const { clearing, sweep, accesses, index } = nextOp(parts, { requests, known, lists });
    const sets = readSet(parts, known, index);

    // Stage 2: the decision, and what it makes of the set.
    const settling = mux(second.again, lists.head, requests.settling);
    const early = p.lines === "chip" ? node(d.hit.and(io.direct), { name: "early_hit" }) : constant(0, 1);
    accesses.push.valid.set(d.hit.andNot(early).or(d.answers));
    accesses.push.payload.set({
      id: settling.id,
      status: d.status,
      write: second.write,
      address: cat(second.index, encodeOnehot(d.found).is(derived(p).wayBits), second.beat),
      strb: settling.strb,
      data: settling.data,
    });
    if (p.lines === "chip") io.early.set({ valid: early, access: accesses.push.payload });
    connect(accesses.pop, io.access);
    settles.set(d.hit.or(d.answers).or(d.parks).or(beginsAccess));
    kills.set(secondValid.and(running).and(d.blocked.or(d.begins).or(d.finishes)));
    const evicted = node(running.and(d.drops.or(d.idle)).or(begun.andNot(fetches)));
    io.evict.ready.set(evicted);
    io.finish.ready.set(d.finishes);
    const sweeps = node(secondValid.and(running).and(second.kind.is("sweep"))),
      clears = node(secondValid.and(running).and(second.kind.is("clear")));
    when(sweeps, () => {
      sweep.due.set(0);
      sweep.set.set(sweep.set.add(1));
    });

    const machine = findVictim(parts, { d, known, level: accesses.level, sets });
    setAfter(parts, d, sets, { sweeps, clears });
    io.events.set({
      hit: d.hit,
      miss: begun.and(fetches),
      merged: d.parks.and(d.forLine),
      waited: d.parks.andNot(d.forLine),
      refused: d.answers,
      dirtyEviction: begun.and(victimDirty),
      cleanEviction: begun.and(holds).andNot(victimDirty),
      blocked: d.blocked.or(machine.is("Read").andNot(had)),
    });
    io.idle.set(
      requests.empty.and(lists.empty).and(known.idle).andNot(secondValid.or(firstValid)).and(accesses.level.eq(0)),
    );
    io.ready.set(clearing.not());

    // Before a set is cleared its word is anything.
    const meant = node(secondValid.andNot(second.kind.is("clear")), { name: "meant" });
    assertAlways(meant.not().or(atMostOne(d.found)), "a line is in one way of its set at most");
    assertAlways(secondSet.dirty.andNot(secondSet.valid).any().and(meant).not(), "what is dirty is valid");
    assertAlways(d.hit.and(accesses.push.ready.not()).not(), "a hit has room on its way to the line memory");
  },
  {
    nameOf: p =>
      `ExCacheLookup_s${p.sets}_w${p.ways}_l${p.lineBytes}_m${p.misses}_q${p.waiting}_${p.policy}${p.lines === "chip" ? "_direct" : ""}`,
  },
);
