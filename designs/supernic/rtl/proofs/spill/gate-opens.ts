/**
 * The gate of a DAG opens only when its ring is empty, and nothing is under way into it or out of it. Around the ring
 * all goes on as it likes: frames are taken for it, written, answered, read, shown and taken by the merge, and software
 * asks what it wants. Only one thing is promised: nothing begins for a ring that the closing looks at (`Closing.ring`).
 * Numbers of beats have 2 bits: the closing only compares them.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  fromBits,
  input,
  module,
  node,
  past,
  type Proof,
  reg,
  source,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { closingOf, type Ring, sequenceBits, type SpillParameters } from "../../spill/index.ts";

const p: SpillParameters = {
    ...{ ports: 2, users: 2, frameBytes: 320 },
    ...{ rings: 2, ringBytes: 16_384, memoryBytes: 65_536 },
  },
  COUNT = 2,
  FRAMES = 1;
/** What may happen to a ring in a cycle, a bit each. */
const events = ["take", "write", "answer", "ask", "come", "hit", "fill", "drain", "discard"] as const;
type Event = (typeof events)[number];

const dagOf = (ring: number): number => 17 + ring;

/** A ring as the closing sees it, and what happens to it. */
function ringOf(i: number, happens: UInt) {
  const flag = (name: string) => reg(bit, { init: 0, name: `${name}_${i}` }),
    count = (name: string, bits: number) => reg(uint(bits), { init: 0, name: `${name}_${i}` }),
    is = (e: Event): Bit => happens.bit(events.indexOf(e)),
    // What the closing only writes: nobody reads it here.
    unread = { set: () => undefined };
  const r = {
    ...{ held: flag("held"), drains: flag("drains"), discards: flag("discards") },
    dag: constant(dagOf(i), 8),
    ...{ written: count("written", COUNT), answered: count("answered", COUNT), safe: count("safe", COUNT) },
    ...{ asked: count("asked", COUNT), read: count("read", COUNT) },
    ...{ queued: count("queued", FRAMES), whole: count("whole", FRAMES), frames: count("frames", COUNT) },
    ...{ begun: flag("model_begun"), come: flag("model_come") },
    ...{ put: unread, kept: unread, got: unread, left: unread, lost: unread, skip: unread, spoiled: unread },
    ...{ due: unread, next: unread },
  };
  const may = (event: Event, holds: Bit): void => assumeAlways(is(event).not().or(holds), `ring ${i}: ${event}`);
  /** `busy`: a frame is being taken, shown, or asked for. */
  const live = (busy: { readonly divert: Bit; readonly offer: Bit; readonly read: Bit }): void => {
    may("take", busy.divert.and(r.queued.all().not()).and(r.frames.all().not()));
    may("write", r.queued.any().and(r.written.add(1).ne(r.read)));
    may("answer", r.written.ne(r.answered));
    may("ask", busy.read.and(r.asked.ne(r.safe)));
    may("come", r.asked.ne(r.read).and(r.whole.all().not()));
    may("hit", busy.offer.and(r.whole.any()).and(r.frames.any()));
    assumeAlways(
      is("fill").zext(2).add(is("drain").zext(2)).add(is("discard").zext(2)).le(1),
      "software asks one thing",
    );
    // A frame has two beats: it is written with the second one, and whole with that.
    when(is("write"), () => r.begun.set(r.begun.not()));
    when(is("come"), () => r.come.set(r.come.not()));
    const wrote = is("write").and(r.begun),
      whole = is("come").and(r.come);
    const step = (n: Bit): UInt => n.zext(COUNT),
      frames = (up: Bit, down: Bit, was: UInt): UInt => was.add(up.zext(was.width)).sub(down.zext(was.width));
    r.written.set(r.written.add(step(is("write"))));
    r.answered.set(r.answered.add(step(is("answer"))));
    r.safe.set(r.safe.add(step(is("answer"))));
    r.asked.set(r.asked.add(step(is("ask"))));
    r.read.set(r.read.add(step(is("come"))));
    r.queued.set(frames(is("take"), wrote, r.queued).is(FRAMES));
    r.whole.set(frames(whole, is("hit"), r.whole).is(FRAMES));
    r.frames.set(frames(is("take"), is("hit"), r.frames).is(COUNT));
    when(is("fill").andNot(r.held), () => {
      r.held.set(1);
      r.discards.set(0);
    });
    when(is("fill"), () => r.drains.set(0));
    when(r.held.and(is("drain")), () => r.drains.set(1));
    when(r.held.and(is("discard")), () => r.discards.set(1));
  };
  return { r: { ...r, inside: r.frames.zext(sequenceBits(p) + 1) }, live };
}

const harness = module(
  "GateOpensProof",
  () => ({
    happens: input(vec(uint(events.length), p.rings)),
    divert: input(uint(p.rings)),
    offer: input(uint(p.rings)),
    read: input(uint(p.rings)),
    opens: source(uint(8)),
  }),
  io => {
    const { divert, offer, read, opens } = io,
      both = Array.from({ length: p.rings }, (_, i) => ringOf(i, io.happens.at(i))),
      rings = both.map(b => b.r) as unknown as readonly Ring[], // With all that the closing looks at.
      closing = closingOf(p, rings);
    both.forEach(({ live }, i) => live({ divert: divert.bit(i), offer: offer.bit(i), read: read.bit(i) }));
    const { discarded } = closing.close({ divert, offer, read }, opens);
    // Whoever is busy now was so before, or looked in the cycle before at a ring that was not closing.
    for (const [what, name, busy] of [
      ["divert", "a frame is taken", divert],
      ["offer", "a frame is shown", offer],
      ["read", "a burst is asked for", read],
    ] as const) {
      const was = reg(uint(p.rings), { init: 0, name: `model_was_${what}` }),
        mayBegin = reg(uint(p.rings), { init: 0, name: `model_may_${what}` });
      was.set(busy);
      mayBegin.set(closing.ring.not());
      assumeAlways(busy.and(was.not()).and(mayBegin.not()).any().not(), `${name} only for a ring that is not closing`);
    }
    // Frames that are dropped are in it no more, wherever they were.
    both.forEach(({ r }, i) => {
      const dropped = node(discarded.any().and(closing.ring.bit(i)), { name: `model_dropped_${i}` });
      assertAlways(dropped.not().or(r.discards), `no frame of ring ${i} is dropped that software wants`);
      when(dropped, () => {
        r.frames.set(0);
        r.begun.set(0);
        r.come.set(0);
      });
      // Twice the frames: those that wait, those in memory, as far as all of their beats are, and those on chip.
      const wide = (n: UInt): UInt => n.zext(COUNT + 2),
        inMemory = wide(r.written.sub(r.read)).sub(wide(r.begun)).add(wide(r.come));
      assertAlways(
        wide(r.frames)
          .shl(1)
          .resize(COUNT + 2)
          .eq(
            wide(r.queued)
              .add(wide(r.whole))
              .shl(1)
              .resize(COUNT + 2)
              .add(inMemory)
              .resize(COUNT + 2),
          ),
        `inside: frames of ring ${i} are where their beats are`,
      );
      assertAlways(r.safe.eq(r.answered), `inside: no write of ring ${i} fails`);
    });
    rings.forEach((r, i) => {
      const opened = node(opens.valid.and(closing.ring.bit(i)), { name: `model_opens_${i}` }),
        under = node(divert.bit(i).or(offer.bit(i)).or(read.bit(i)), { name: `model_under_way_${i}` }),
        stays = node(
          r.queued.any().or(r.written.ne(r.answered)).or(r.asked.ne(r.read)).or(r.asked.ne(r.safe)).or(r.whole.any()),
          { name: `model_has_something_${i}` },
        );
      assertAlways(opened.and(under).not(), `nothing of ring ${i} is under way when its gate opens`);
      assertAlways(opened.not().or(opens.payload.eq(dagOf(i))), `the gate that opens is that of ring ${i}`);
      assertAlways(opened.and(stays).not(), `ring ${i} is empty when its gate opens`);
      assertAlways(opened.and(r.inside.any()).not(), `no frame of ring ${i} is missing when its gate opens`);
      assertAlways(
        past(r.held)
          .and(r.held.not())
          .not()
          .or(past(opened.and(opens.ready)).or(past(r.discards))),
        `ring ${i} is free only when its gate opens, or its frames are dropped`,
      );
    });
    const any = node(fromBits(rings.map(r => r.inside.any())).any(), { name: "model_any" });
    cover(opens.valid.and(any), "a gate opens, and the other ring has frames");
    cover(discarded.any(), "frames are dropped");
  },
);

export const gateOpensProof: Proof = {
  module: "Spill: a gate opens when its ring is empty, 2 rings",
  harness: harness(),
  own: true,
  long: true,
  by: "abc pdr",
  reach: 30,
  faults: [
    { what: "a frame may wait for the memory", from: " | queued_0)", to: ")" },
    { what: "a frame may be on chip", from: " & ~whole_0", to: "" },
    { what: "nobody waits until what was begun is seen", from: /close_settled = [^;]*;/, to: "close_settled = 1'b1;" },
    { what: "beats that are asked for need not have come", from: / & \(asked_0 == read_0\)/, to: "" },
    { what: "beats that are safe need not be asked for", from: /\(asked_0 == safe_0\) & /, to: "" },
    { what: "writes need not be answered", from: /\(written_0 == answered_0\) & /, to: "" },
    { what: "another ring's gate opens", from: "close_ring[0]}} & 8'd17", to: "close_ring[0]}} & 8'd18" },
  ],
};
