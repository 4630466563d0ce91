import {
  addressBits,
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  constant,
  decode,
  input,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { fairTurn, lateCount } from "../../../shared/stream/index.ts";
import { classBits, queueClasses } from "../inside/index.ts";
import { classBeats, Queued, type QueueParameters } from "./records.ts";

/** Frames of a class that are ready in registers' place: enough to give one out a cycle. */
const ready = 4,
  claimBits = bitsFor(ready);

/** A frame that comes, with its class as a bit of all. */
const Push = (p: QueueParameters, classes: number) => struct({ frame: Queued(p), class: uint(classes), valid: bit });

/** The rings of the classes, one behind the other in the memory: frames of each, its first place, and of all. */
function ringsOf(sizes: readonly number[]) {
  const bases = sizes.map((_, c) => sizes.slice(0, c).reduce((a, b) => a + b, 0)),
    total = sizes.reduce((a, b) => a + b, 0);
  return { bases, total };
}

/** A class's ring, and what it has room for at hand. */
function listsOf(sizes: readonly number[], pushed: Val<ReturnType<typeof Push>>) {
  const { bases, total } = ringsOf(sizes),
    index = uint(addressBits(total));
  return sizes.map((size, c) => {
    const base = bases[c] ?? 0,
      after = (v: UInt): UInt => mux(v.eq(base + size - 1), constant(base, v.width), v.add(1));
    const head = reg(index, { init: base, name: `head_${c}` }),
      tail = reg(index, { init: base, name: `tail_${c}` }),
      waiting = reg(uint(bitsFor(size)), { init: 0, name: `waiting_${c}` }),
      any = reg(bit, { init: 0, name: `any_${c}` }),
      claimed = reg(uint(claimBits), { init: 0, name: `claimed_${c}` });
    const comes = node(pushed.valid.and(pushed.class.bit(c)), { name: `comes_${c}` }),
      room = node(claimed.lt(ready), { name: `room_${c}` });
    return { size, base, head, tail, waiting, any, claimed, comes, room, after };
  });
}

/** The classes' frames, with all that they are kept in: a proof looks at that. `sizes`: places of each class. */
export function classRings(
  p: QueueParameters,
  sizes: readonly number[],
  push: { readonly valid: Bit; readonly class: UInt; readonly frame: Val<ReturnType<typeof Queued>> },
  pop: UInt,
) {
  const { total } = ringsOf(sizes),
    index = uint(addressBits(total));
  const pushed = reg(Push(p, sizes.length), { init: { valid: 0 }, name: "pushed" });
  pushed.set({ valid: push.valid, class: decode(push.class, sizes.length), frame: push.frame });

  const rings = ram(Queued(p), {
    depth: total,
    collision: "undefined",
    style: "ultra",
    outside: "unreached",
    name: "rings",
  });
  const lists = listsOf(sizes, pushed);
  // A frame goes straight to those at hand while none is in front of it in the memory. It does not while one comes
  // from there, of whatever class: so one comes in a cycle, and all classes have one way in.
  const fetching = sizes.map((_, c) => reg(bit, { init: 0, name: `fetching_${c}` })),
    isFetched = reg(bit, { init: 0, name: "is_fetched" });
  const straight = lists.map((l, c) =>
    node(l.comes.andNot(l.any).and(l.room).andNot(isFetched), { name: `straight_${c}` }),
  );
  const turns = fairTurn(
    "fetch",
    lists.map((l, c) => node(l.any.and(l.room), { name: `asks_${c}` })),
  );
  const stores = lists.map((l, c) => node(l.comes.andNot(straight[c] ?? l.any), { name: `stores_${c}` }));
  rings.write(
    orTree(stores),
    onehotMux(
      lists.map(l => l.comes),
      lists.map(l => l.tail),
    ),
    pushed.frame,
  );
  const fetched = rings.readSync(
    onehotMux(
      turns,
      lists.map(l => l.head),
    ),
    { en: orTree(turns), name: "fetched" },
  );
  isFetched.set(orTree(turns));
  const arriving = mux(isFetched, fetched, pushed.frame);
  const classes = lists.map((l, c) => {
    const { size, base } = l;
    const store = stores[c] ?? l.any,
      fetch = turns[c] ?? l.any,
      past = straight[c] ?? l.any,
      came = fetching[c] ?? l.any;
    came.set(fetch);
    when(store, () => l.tail.set(l.after(l.tail)));
    when(fetch, () => l.head.set(l.after(l.head)));
    // Whether one is fetched is known late: so no count of them is asked, which only the checks have, but both ends.
    // A frame that is stored now can be fetched in the next cycle.
    const single = node(l.after(l.head).eq(l.tail), { name: `single_${c}` }),
      n = l.waiting.width;
    l.any.set(store.or(l.any.andNot(fetch.and(single))));
    l.waiting.set(l.waiting.add(store.zext(n)).sub(fetch.zext(n)));
    assertAlways(store.not().or(l.waiting.lt(l.size)), `class ${c} has a place for each of its frames`);

    const places = ram(Queued(p), {
        depth: ready,
        collision: "undefined",
        style: "distributed",
        name: `at_hand_${c}`,
      }),
      pointer = uint(Math.log2(ready)),
      first = reg(pointer, { init: 0, name: `first_${c}` }),
      end = reg(pointer, { init: 0, name: `end_${c}` }),
      level = reg(uint(claimBits), { init: 0, name: `level_${c}` }),
      has = reg(bit, { init: 0, name: `has_${c}` });
    const arrives: Bit = node(past.or(came), { name: `arrives_${c}` }),
      goes = pop.bit(c);
    places.write(arrives, end, arriving);
    when(arrives, () => end.set(end.add(1)));
    when(goes, () => first.set(first.add(1)));
    level.set(lateCount(level, arrives, goes));
    has.set(arrives.or(level.gt(1)).or(level.any().andNot(goes)));
    l.claimed.set(lateCount(l.claimed, past.or(fetch), goes));
    const shown = { valid: has, frame: places.readAsync(first) };
    assertAlways(goes.not().or(has), `class ${c} gives what it has`);
    // What the counts mean; a proof of the order rests on it.
    assertAlways(has.eq(level.any()), `class ${c} has a head when it has one at hand`);
    assertAlways(l.any.eq(l.waiting.any()), `class ${c} has frames in the memory when they are counted`);
    assertAlways(
      l.claimed.eq(level.add(came.zext(claimBits))).and(l.claimed.le(ready)),
      `class ${c} has a place at hand for what is fetched`,
    );
    assertAlways(end.sub(first).eq(level.trunc(pointer.width)), `class ${c} has at hand what it counts`);
    const ahead = l.tail.zext(index.width + 1).sub(l.head.zext(index.width + 1)),
      wrapped = ahead.add(mux(l.tail.lt(l.head), constant(size, index.width + 1), constant(0, index.width + 1)));
    assertAlways(
      wrapped.eq(l.waiting.resize(index.width + 1)).or(l.tail.eq(l.head).and(l.waiting.eq(size))),
      `class ${c} has in the memory what it counts`,
    );
    const inRing = (v: UInt): Bit => (base === 0 ? v.lt(size) : v.ge(base).and(v.lt(base + size)));
    assertAlways(inRing(l.head).and(inRing(l.tail)), `class ${c} stays in its own ring`);
    return { ...l, shown, hand: { places, first, level }, came };
  });
  return { classes, pushed, rings, fetched };
}

/**
 * The frames of each class in their order. The first few of a class are at hand, the others in one memory, in which
 * each class has a ring with a place for each of its beats: so a frame that has room in the buffer has a place here.
 * Latency: 2 cycles from `push` to `heads`, when the class is empty and no frame comes from the memory in the cycle
 * behind `push`; else when those in front are gone, and its turn to come from there. Initiation interval 1 for `push`,
 * and for `pop`, of one class too. Nothing waits. Reset: all are empty.
 */
export const ClassLists = module(
  "ClassLists",
  (p: QueueParameters) => ({
    push: input(struct({ valid: bit, class: uint(classBits), frame: Queued(p) })),
    heads: output(vec(struct({ valid: bit, frame: Queued(p) }), queueClasses)),
    /** Of classes that have a head. */
    pop: input(uint(queueClasses)),
  }),
  (io, p) => {
    const { classes } = classRings(p, classBeats(p), io.push, io.pop);
    classes.forEach(({ shown }, c) => io.heads.at(c).set(shown));
  },
  { nameOf: p => `ClassLists_p${p.ports}_b${p.beats}_f${p.frameBytes}` },
);
