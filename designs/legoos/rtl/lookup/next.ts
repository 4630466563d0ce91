/** The first stage's entry: what goes in next. */
import {
  bit,
  type Bit,
  constant,
  fifoWithLevel,
  mux,
  node,
  priority,
  reg,
  stream,
  uint,
  type UInt,
  unpack,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import { Access, placed } from "../records/records.ts";
import type { Sources } from "./decision.ts";
import type { Parts } from "./parts.ts";
import { Op, OpKind } from "./state.ts";

/** Hits and refusals on their way to the line memory; three of them may be in the stages in front. */
const accessDepth = 8,
  inStages = 3;

/** Hits on their way to the line memory, and whether the stages may take another. */
function accesses(p: Parameters) {
  const push = stream(Access(p), { name: "found_access" }),
    { out, level } = fifoWithLevel(push, accessDepth);
  return { access: { push, pop: out, level }, room: node(level.le(accessDepth - inStages), { name: "access_room" }) };
}

/**
 * Sets are cleared first. Then what ends comes before what begins, and repeated requests before new ones; one that may
 * go to the line memory needs room on its way there.
 */
export function nextOp(parts: Parts, sources: Sources) {
  const {
      p,
      io,
      orders: { kills, running, issueAccess },
      stages: { first, firstValid, second, secondValid },
    } = parts,
    { requests, lists } = sources,
    { setBits } = derived(p);
  const clearing = reg(bit, { init: 1 }),
    clearSet = reg(uint(setBits), { init: 0 });
  const sweepDue = reg(bit, { init: 0 }),
    sweepSet = reg(uint(setBits), { init: 0 });
  const inFlight = (kind: "finish" | "sweep" | "evict"): Bit =>
    node(firstValid.and(first.kind.is(kind)).or(secondValid.and(second.kind.is(kind))), {
      name: `${kind}_in_flight`,
    });
  const againInFlight = node(firstValid.and(first.again).or(secondValid.and(second.again)));
  const { access: accessQueue, room: accessRoom } = accesses(p);
  const open = node(running.andNot(kills).andNot(clearing), { name: "open" });
  const wantFinish = node(io.finish.valid.andNot(inFlight("finish"))),
    wantEvict = node(io.evict.valid.andNot(inFlight("evict"))),
    wantSweep = node(sweepDue.andNot(inFlight("sweep"))),
    wantAgain = node(lists.any.andNot(againInFlight).and(accessRoom)),
    wantAccess = node(requests.any.andNot(lists.any).and(accessRoom));
  const goes = node(open.and(wantFinish.or(wantEvict).or(wantSweep).or(wantAgain).or(wantAccess)).or(clearing), {
    name: "goes",
  });
  const quiet = node(wantFinish.or(wantEvict).or(wantSweep).not());
  issueAccess.set(open.and(quiet).andNot(wantAgain).and(wantAccess));
  const again = node(wantAgain);
  const { next, index } = opOf(parts, sources, {
    clearing,
    clearSet,
    sweepSet,
    wantFinish,
    wantEvict,
    wantSweep,
    again,
    quiet,
  });
  firstValid.set(goes);
  first.set(next);
  when(clearing, () => {
    clearSet.set(clearSet.add(1));
    when(clearSet.eq(p.sets - 1), () => clearing.set(0));
  });
  if (p.policy === "lru") {
    const sweepTime = reg(uint(Math.log2(p.sweepCycles)), { init: 0, name: "sweep_time" });
    sweepTime.set(sweepTime.add(1));
    when(sweepTime.eq(0), () => sweepDue.set(1));
  }
  return { clearing, sweep: { due: sweepDue, set: sweepSet }, accesses: accessQueue, index };
}

/** Who may go in, the first of them first, and the sets that are cleared and swept. */
interface Wants {
  readonly clearing: Bit;
  readonly clearSet: UInt;
  readonly sweepSet: UInt;
  readonly wantFinish: Bit;
  readonly wantEvict: Bit;
  readonly wantSweep: Bit;
  /** A repeated request wants to; and nothing comes before requests. */
  readonly again: Bit;
  readonly quiet: Bit;
}

/** The operation that goes in, and its set. */
function opOf({ p, io }: Parts, { requests, known, lists }: Sources, wants: Wants) {
  const { lineBits, pageBits, beatBits } = derived(p),
    { clearing, clearSet, sweepSet, wantFinish, wantEvict, wantSweep, again, quiet } = wants;
  const asked = mux(again, lists.head, requests.next);
  const where = placed(p, asked.asid, asked.va.bits(lineBits, pageBits));
  const done = io.finish.payload,
    told = known.of(done.miss);
  const kind = priority(
    [clearing, constant(3, 3)],
    [wantFinish, constant(1, 3)],
    [wantEvict, constant(4, 3)],
    [wantSweep, constant(2, 3)],
    constant(0, 3),
  );
  const next = wire(Op(p), { name: "next_op" });
  const index = node(
    priority(
      [clearing, clearSet],
      [wantFinish, told.index],
      [wantEvict, io.evict.payload.index],
      [wantSweep, sweepSet],
      where.set,
    ),
    { name: "next_index" },
  );
  next.set({
    kind: unpack(OpKind, kind),
    again: node(quiet.and(again).andNot(clearing)),
    failed: mux(again, lists.failed, constant(0, 4)),
    index,
    tag: where.tag,
    beat: asked.va.bits(6, beatBits),
    write: asked.write,
    way: mux(wantFinish, told.way, io.evict.payload.way),
    miss: done.miss,
    fill: done.fill,
    release: done.release,
    fetched: known.fetches(done.miss),
    status: done.status,
    writable: done.writable,
  });
  return { next, index };
}
