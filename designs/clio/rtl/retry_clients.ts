import {
  assertAlways, bit, constant, decode, encodeOnehot, fromBits, input, module, mux, node, output, ram, reg, struct, uint, vec, when,
  type Bit,
} from "../../../hdl-dsl/index.ts";
import { firstSet } from "./slot_pool.ts";

export interface RetryClientsParameters {
  /** Places, a power of two. */
  readonly clients: number;
  readonly clientBits: number;
  /** Cycles of TIMEOUT, 4 or more. */
  readonly timeoutCycles: number;
  /** Bits of a time, in quarters of TIMEOUT; 5 or more. */
  readonly stampBits: number;
}

/** Quarters of TIMEOUT that a client must have been silent for: 3 x TIMEOUT, and one for the quarter that had begun. */
const idleQuarters = 13;

/**
 * The clients that the retry buffer knows: exact keys (a CAM), found in the cycle of `key`. `add` enters a client at `place`, the lowest free
 * one; a place is free from reset on, and again from `freed` on. `retire` forgets the client `idle`: its place is not free before `freed`,
 * because operations of it may still be remembered.
 *
 * `idle` is the client that has been silent for longest, if that is longer than 3 x TIMEOUT: found by looking at one place a cycle, so up
 * to 2 x clients cycles after it became so; a `touch` takes it off the list at once, so one who is heard of is never retired. Times wrap
 * after 2^stampBits quarters of TIMEOUT: a client silent for that long counts as fresh for 3 x TIMEOUT more, never the other way round.
 *
 * Latency 0 for `key`, 1 for everything else; one operation of each kind per cycle. Full: `place.valid` is 0.
 */
export const RetryClients = module("RetryClients",
  (p: RetryClientsParameters) => {
    const Place = struct({ valid: bit, index: uint(Math.log2(p.clients)) });
    return {
      key: input(uint(p.clientBits)), found: output(Place),
      add: input(struct({ valid: bit, key: uint(p.clientBits) })), place: output(Place),
      touch: input(Place),
      idle: output(Place), retire: input(bit), freed: input(Place),
    };
  },
  (io, p) => {
    const n = p.clients, index = uint(Math.log2(n)), stamp = uint(p.stampBits);
    const keys = reg(vec(uint(p.clientBits), n));
    const known = reg(uint(n), { init: 0 });
    /** Forgotten, and not swept yet. */
    const stale = reg(uint(n), { init: 0 });
    const none = constant(0, n);
    const at = (valid: Bit, i: Parameters<typeof decode>[0]) => mux(valid, decode(i, n), none);

    const matching = node(fromBits(keys.toArray().map((k, i) => known.bit(i).and(k.eq(io.key)))));
    io.found.set({ valid: matching.any(), index: encodeOnehot(matching).is(index.width) });

    const place = reg(struct({ valid: bit, index }), { init: 0 });
    const idle = reg(struct({ valid: bit, index }), { init: 0 });
    const entering = node(at(io.add.valid, place.index));
    const leaving = node(at(io.retire, idle.index));
    keys.toArray().forEach((k, i) => { when(entering.bit(i), () => { k.set(io.add.key); }); });
    known.set(known.or(entering).and(leaving.not()));
    stale.set(stale.or(leaving).and(at(io.freed.valid, io.freed.index).not()));
    const lowest = firstSet(known.or(stale).or(entering).not());
    place.set({ valid: lowest.any, index: lowest.index });
    io.place.set(place);
    io.idle.set(idle);

    // Time in quarters of TIMEOUT.
    const quarter = Math.ceil(p.timeoutCycles / 4);
    const cycles = reg(uint(Math.max(1, Math.ceil(Math.log2(quarter)))), { init: 0 });
    const now = reg(stamp, { init: 0 });
    const ticks = node(cycles.eq(quarter - 1));
    cycles.set(mux(ticks, constant(0, cycles.width), cycles.add(1)));
    when(ticks, () => { now.set(now.add(1)); });
    const heard = ram(stamp, { depth: n, collision: "undefined", style: "distributed" });
    heard.write(io.add.valid.or(io.touch.valid), mux(io.add.valid, place.index, io.touch.index), now);

    // One place a cycle: its silence, then whether that is the longest of this round.
    const Silent = struct({ valid: bit, index, quarters: stamp });
    const looking = reg(index, { init: 0 });
    const looked = reg(Silent, { init: 0 });
    const longest = reg(Silent, { init: 0 });
    const touched = (i: typeof looking | typeof looked.index): Bit => io.touch.valid.and(io.touch.index.eq(i));
    looking.set(looking.add(1));
    looked.set({ valid: known.shr(looking).bit(0).and(touched(looking).not()), index: looking, quarters: now.sub(heard.readAsync(looking)) });
    const longer = node(looked.valid.and(looked.quarters.ge(idleQuarters)).and(touched(looked.index).not())
      .and(longest.valid.not().or(looked.quarters.gt(longest.quarters))));
    const standing = node(longest.valid.and(touched(longest.index).not()));
    const ends = node(looked.index.eq(n - 1));
    longest.valid.set(longer.or(standing).and(ends.not()));
    when(longer, () => { longest.index.set(looked.index); longest.quarters.set(looked.quarters); });
    when(ends, () => {
      idle.set({ valid: longer.or(standing), index: mux(longer, looked.index, longest.index) });
    }).elseWhen(touched(idle.index), () => { idle.valid.set(0); });
    when(io.retire, () => { idle.valid.set(0); longest.valid.set(0); looked.valid.set(0); });

    assertAlways(matching.and(matching.sub(1)).any().not(), "a client is known at one place");
    assertAlways(known.and(stale).any().not(), "a place that is being swept holds no client");
    assertAlways(io.add.valid.not().or(place.valid), "a client enters where there is a place");
    assertAlways(io.add.valid.and(io.touch.valid).not(), "who enters is heard of by that");
    assertAlways(io.retire.not().or(idle.valid), "only an idle client is forgotten");
    assertAlways(io.retire.and(touched(idle.index)).not(), "nobody is forgotten while he is heard of");
  });
