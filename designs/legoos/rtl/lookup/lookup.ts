import {
  assertAlways,
  atMostOne,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  decode,
  encodeOnehot,
  fifoWithLevel,
  fromBits,
  fsm,
  literalOf,
  module,
  mux,
  node,
  onehotMux,
  output,
  priority,
  ram,
  reg,
  sink,
  source,
  stream,
  uint,
  type UInt,
  unpack,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import { Access, Events, Finish, Job, lineOf, Place, placed, Request } from "../records/records.ts";
import { choose, Chosen, spread } from "./choose.ts";
import { decide } from "./decide.ts";
import { intake } from "./intake.ts";
import { misses } from "./misses.ts";
import { Op, OpKind, SetState } from "./state.ts";
import { waiting } from "./waiting.ts";

/** Hits and refusals on their way to the line memory; three of them may be in the stages in front. */
const accessDepth = 8,
  inStages = 3;

/**
 * The tags of the ExCache (LegoOS §3.4.2): which requests hit, who leaves for those that do not, and who waits for
 * what. A tag memory for each way is read at once; all else of a set is one word. Everything that changes a set goes
 * through two stages, so that each request sees what all before it have done.
 *
 * Latency: 2 cycles from `request` to the decision, 1 more to `access`. Initiation interval 1 for hits. A miss stops
 * the stages for 6 cycles at least, until the hits before it have gone to the line memory. A request for a line that
 * is under way waits for it; one for a line that is leaving waits until that is safe. Both kinds are looked up again
 * in their order, before new ones. Full (no miss, no place to wait, no way that could leave): the oldest request is
 * looked up again until there is; none passes it. Reset: sets are cleared, one a cycle; then requests are taken.
 */
export const Lookup = module(
  "ExCacheLookup",
  (p: Parameters) => ({
    request: sink(Request(p)),
    /** Software's order: what is at the place leaves the cache, written back when it is dirty. */
    evict: sink(Place(p)),
    finish: sink(Finish(p)),
    job: source(Job(p)),
    access: source(Access(p)),
    events: output(Events),
    /** Nothing is under way. */
    idle: output(bit),
    ready: output(bit),
  }),
  (io, p) => {
    const { setBits, missBits, beatBits, lineBits, tagBits, pageBits } = derived(p);
    const tags = Array.from({ length: p.ways }, (_, w) =>
      ram(uint(tagBits), { depth: p.sets, collision: "undefined", style: "block", name: `tags_${w}` }),
    );
    const states = ram(SetState(p), { depth: p.sets, collision: "undefined", style: "block", name: "states" });

    // What the second stage orders, and the machine behind it.
    const finishes = wire(bit),
      kills = wire(bit),
      running = wire(bit),
      begun = wire(bit),
      settles = wire(bit),
      issueAccess = wire(bit);
    const first = reg(Op(p), { name: "first" }),
      firstValid = reg(bit, { init: 0 }),
      second = reg(Op(p), { name: "second" }),
      secondValid = reg(bit, { init: 0 }),
      secondSet = reg(SetState(p)),
      match = reg(uint(p.ways)),
      lineMatch = reg(uint(p.misses)),
      victimMatch = reg(uint(p.misses));
    const way = reg(uint(derived(p).wayBits)),
      // Their decoded forms have a cycle of their own: sets are wide.
      wayOnehot = reg(uint(p.ways), { name: "way_onehot" }),
      opWay = reg(uint(p.ways), { name: "op_way" }),
      choice = reg(Chosen(p), { name: "choice" }),
      holds = reg(bit),
      turns = reg(bit),
      victimTag = reg(uint(tagBits)),
      victimDirty = reg(bit),
      had = reg(bit, { name: "way_had" }),
      drained = reg(bit, { name: "drained" });
    const fetches = node(second.kind.is("access"));

    const requests = intake(p, io.request, {
      take: issueAccess,
      settle: node(settles.andNot(second.again)),
      // What was killed behind a miss is read again; the miss itself has gone then.
      rewind: node(kills.or(begun)),
    });
    const known = misses(p, {
      begin: begun,
      set: second.index,
      tag: second.tag,
      way,
      victim: victimTag,
      fetch: fetches,
      dirty: victimDirty,
      finished: second.miss,
      filled: node(finishes.and(second.fill)),
      released: node(finishes.and(second.release)),
    });
    const waitRoom = wire(bit);
    const d = decide({
      op: second,
      way: opWay,
      valid: node(secondValid.and(running)),
      set: secondSet,
      match,
      line: lineMatch,
      victim: victimMatch,
      missRoom: known.room,
      waitRoom,
    });
    finishes.set(d.finishes);
    const parkedFor = node(mux(begun, known.next, encodeOnehot(lineMatch.or(victimMatch)).is(missBits)), {
      name: "parked_for",
    });
    const beginsAccess = node(begun.and(fetches));
    const parks = node(d.parks.or(beginsAccess));
    const lists = waiting(p, {
      park: parks,
      miss: parkedFor,
      request: requests.settling,
      forLine: node(d.forLine.or(begun)),
      finish: d.finishes,
      finished: second.miss,
      status: second.status,
      again: second.again,
      pop: node(settles.and(second.again)),
      free: node(settles.and(second.again).andNot(parks)),
    });
    waitRoom.set(lists.room);

    // Stage 0: what goes in next.
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

    // Stage 1: the tags and the set's word are there. What the second stage writes now or wrote last is not in them
    // yet.
    const reading = wire(bit, { name: "reads_victim" });
    const readIndex = node(mux(reading, second.index, index));
    const read = tags.map((t, w) => t.readSync(readIndex, { name: `tag_${w}` }));
    const stored = states.readSync(index, { name: "stored" });
    const writes = wire(bit, { name: "writes_set" }),
      written = wire(SetState(p), { name: "written_set" });
    const wroteValid = reg(bit, { init: 0 }),
      wroteIndex = reg(uint(setBits)),
      wrote = reg(SetState(p));
    wroteValid.set(writes);
    when(writes, () => {
      wroteIndex.set(second.index);
      wrote.set(written);
    });
    states.write(writes, second.index, written);
    const moves = node(firstValid.andNot(kills), { name: "moves" });
    when(running, () => secondValid.set(moves));
    when(moves.and(running), () => {
      second.set(first);
      opWay.set(decode(first.way, p.ways));
      match.set(fromBits(read.map(t => t.eq(first.tag))));
      secondSet.set(
        priority(
          [writes.and(second.index.eq(first.index)), written],
          [wroteValid.and(wroteIndex.eq(first.index)), wrote],
          stored,
        ),
      );
      const m = known.match(first.index, first.tag);
      lineMatch.set(m.line);
      victimMatch.set(m.victim);
    });

    // Stage 2: the decision, and what it makes of the set.
    const settling = mux(second.again, lists.head, requests.settling);
    accessQueue.push.valid.set(d.hit.or(d.answers));
    accessQueue.push.payload.set({
      id: settling.id,
      status: d.status,
      write: second.write,
      address: cat(second.index, encodeOnehot(d.found).is(derived(p).wayBits), second.beat),
      strb: settling.strb,
      data: settling.data,
    });
    connect(accessQueue.pop, io.access);
    settles.set(d.hit.or(d.answers).or(d.parks).or(beginsAccess));
    kills.set(secondValid.and(running).and(d.blocked.or(d.begins).or(d.finishes)));
    const evicted = node(running.and(d.drops.or(d.idle)).or(begun.andNot(fetches)));
    io.evict.ready.set(evicted);
    io.finish.ready.set(d.finishes);
    const sweeps = node(secondValid.and(running).and(second.kind.is("sweep"))),
      clears = node(secondValid.and(running).and(second.kind.is("clear")));
    when(sweeps, () => {
      sweepDue.set(0);
      sweepSet.set(sweepSet.add(1));
    });

    // The machine that finds a victim and begins a miss.
    reading.set(0);
    begun.set(0);
    // Nothing comes to the queue while the machine is at work.
    drained.set(accessQueue.level.eq(0));
    running.set(0);
    const job = stream(Job(p));
    job.valid.set(0);
    const machine = fsm(["Run", "Choose", "Take", "Read", "Known", "Begin"], "Run", s => ({
      Run: () => {
        running.set(1);
        when(d.begins, () => {
          secondValid.set(1);
          s.go("Choose");
        });
      },
      Choose: () => {
        choice.set(choose(p, secondSet));
        s.go("Take");
      },
      Take: () => {
        const free = choice.free,
          taken = mux(fetches, mux(free, choice.freeWay, choice.victimWay), second.way);
        way.set(taken);
        wayOnehot.set(decode(taken, p.ways));
        holds.set(free.not().or(fetches.not()));
        turns.set(free.not().and(fetches));
        had.set(free.or(choice.victim).or(fetches.not()));
        s.go("Read");
      },
      Read: () => {
        reading.set(1);
        s.go("Known");
        when(had.not(), () => {
          secondValid.set(0);
          s.go("Run");
        });
      },
      Known: () => {
        victimTag.set(
          onehotMux(
            Array.from({ length: p.ways }, (_, w) => wayOnehot.bit(w)),
            read,
          ),
        );
        victimDirty.set(holds.and(secondSet.dirty.and(wayOnehot).any()));
        s.go("Begin");
      },
      Begin: () => {
        job.valid.set(drained);
        when(job.fire, () => {
          begun.set(1);
          secondValid.set(0);
          s.go("Run");
        });
      },
    }));
    job.payload.set({
      miss: known.next,
      place: cat(second.index, way),
      fetch: fetches,
      line: literalOf(Job(p).fields.line, lineOf(p, second.index, second.tag)),
      dirty: victimDirty,
      victim: literalOf(Job(p).fields.victim, lineOf(p, second.index, victimTag)),
    });
    connect(job, io.job);
    tags.forEach((t, w) => t.write(begun.and(fetches).and(wayOnehot.bit(w)), second.index, second.tag));

    // The set's word as it is afterwards.
    const { valid, writable, dirty, used, pointer } = secondSet;
    const of = (b: Bit, v: UInt): UInt => v.and(spread(b, p.ways));
    const fills = node(d.finishes.and(second.fill)),
      filled = node(fills.and(second.fetched).and(second.status.eq(0))),
      touched = of(d.hit, d.found);
    const taken = node(of(begun, wayOnehot), { name: "taken_way" }),
      ended = node(of(fills, opWay), { name: "ended_way" }),
      arrived = node(of(filled, opWay), { name: "arrived_way" }),
      dropped = node(of(d.drops, opWay), { name: "dropped_way" });
    const gone = node(taken.or(dropped));
    writes.set(begun.or(fills).or(d.hit).or(d.drops).or(sweeps).or(clears));
    const kept = (v: UInt): UInt => v.and(spread(clears.not(), p.ways));
    written.set({
      valid: kept(valid.andNot(gone).or(arrived)),
      writable: kept(writable.andNot(ended).andNot(dropped).or(taken).or(of(second.writable, arrived))),
      dirty: kept(dirty.andNot(gone).andNot(ended).or(of(second.write, touched))),
      used: kept(of(sweeps.not(), used).andNot(gone).or(touched).or(arrived)),
      pointer: mux(clears, constant(0, pointer.width), mux(begun.and(turns), pointer.add(1), pointer)),
    });
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
      requests.empty.and(lists.empty).and(known.idle).andNot(secondValid.or(firstValid)).and(accessQueue.level.eq(0)),
    );
    io.ready.set(clearing.not());

    // Before a set is cleared its word is anything.
    const meant = node(secondValid.andNot(second.kind.is("clear")), { name: "meant" });
    assertAlways(meant.not().or(atMostOne(d.found)), "a line is in one way of its set at most");
    assertAlways(secondSet.dirty.andNot(secondSet.valid).any().and(meant).not(), "what is dirty is valid");
    assertAlways(d.hit.and(accessQueue.push.ready.not()).not(), "a hit has room on its way to the line memory");
  },
  { nameOf: p => `ExCacheLookup_s${p.sets}_w${p.ways}_l${p.lineBytes}_m${p.misses}_q${p.waiting}_${p.policy}` },
);

/** Hits on their way to the line memory, and whether the stages may take another. */
function accesses(p: Parameters) {
  const push = stream(Access(p), { name: "found_access" }),
    { out, level } = fifoWithLevel(push, accessDepth);
  return { access: { push, pop: out, level }, room: node(level.le(accessDepth - inStages), { name: "access_room" }) };
}
