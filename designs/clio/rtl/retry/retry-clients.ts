import {
  assertAlways,
  atMostOne,
  bit,
  type Bit,
  carryEqual,
  cat,
  constant,
  decode,
  encodeOnehot,
  fromBits,
  input,
  type Inside,
  module,
  mux,
  node,
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
export const idleQuarters = 13;
const quartersBits = 4;

const indexOf = (p: RetryClientsParameters) => uint(Math.log2(p.clients));
const Place = (p: RetryClientsParameters) => struct({ valid: bit, index: indexOf(p) });

const retryClientsPorts = (p: RetryClientsParameters) => {
  const OnePlace = Place(p);
  return {
    key: input(uint(p.clientBits)),
    look: input(bit),
    asks: input(bit),
    found: output(OnePlace),
    add: input(struct({ valid: bit, key: uint(p.clientBits), same: bit })),
    place: output(OnePlace),
    touch: input(OnePlace),
    idle: output(OnePlace),
    /** Quarters of TIMEOUT until somebody can be forgotten, if that client stays silent. */
    remaining: output(uint(quartersBits)),
    /** A place was given up and is not swept yet. */
    sweeping: output(bit),
    retire: input(bit),
    strike: input(OnePlace),
    struck: output(bit),
    freed: input(bit),
  };
};
type Io = Inside<ReturnType<typeof retryClientsPorts>>;

/** Only what is valid needs a reset. */
const guarded = { init: 0, resets: ["valid"] };

/** The keys that are known, and where the one stands that was looked up last. */
function keysOf(io: Io, p: RetryClientsParameters) {
  const n = p.clients,
    index = indexOf(p);
  const keys = reg(vec(uint(p.clientBits), n));
  const written = reg(uint(n), { init: 0 });
  const matching = node(fromBits(keys.toArray().map((k, i) => carryEqual(k, io.key, written.bit(i)))));
  /** The place of the key that was looked up last. */
  const matches = reg(uint(n));
  /** A key has been looked up since the reset. */
  const asked = reg(bit, { init: 0 });
  when(io.look, () => asked.set(1));
  const isFoundAt = (places: UInt): Bit => matches.and(places).any().and(asked);
  io.found.set({ valid: matches.any().and(asked), index: encodeOnehot(matches).is(index.width) });

  return { keys, written, matching, matches, isFoundAt };
}
type Keys = ReturnType<typeof keysOf>;

/** Where the next client enters. */
function placesOf(io: Io, p: RetryClientsParameters, { keys }: Keys) {
  const n = p.clients,
    index = indexOf(p);
  /** Places had so far. */
  const used = reg(uint(index.width + 1), { init: 0 });
  const vacant = reg(struct({ valid: bit, swept: bit, index }), { init: 0, resets: ["valid"] });
  const allUsed = node(used.bit(index.width));
  const place = node(mux(allUsed, vacant.index, used.trunc(index.width)));
  io.place.set({ valid: allUsed.not().or(vacant.valid.and(vacant.swept)), index: place });
  const entering = node(mux(io.add.valid, decode(place, n), constant(0, n)));
  keys.toArray().forEach((k, i) => when(entering.bit(i), () => k.set(io.add.key)));

  return { used, vacant, allUsed, entering };
}
type Places = ReturnType<typeof placesOf>;

/** Clients become unknown, one at a time, and others known. */
function changeClients(
  io: Io,
  p: RetryClientsParameters,
  { written, matching, matches, isFoundAt }: Keys,
  { used, vacant, allUsed, entering }: Places,
) {
  const n = p.clients;
  /** The client that may be forgotten, and a bit for its place. */
  const idle = reg(Place(p), guarded);
  const idlePlace = reg(uint(n));
  const struckPlace = reg(uint(n));
  struckPlace.set(decode(io.strike.index, n));
  // One becomes unknown at a time: who is silent first.
  const strikes = node(io.strike.valid.andNot(isFoundAt(struckPlace)).andNot(io.retire));
  io.struck.set(strikes);
  const forgotten = node(mux(io.retire, idlePlace, mux(strikes, struckPlace, constant(0, n))));
  written.set(written.and(forgotten.not()).or(entering));
  when(io.look, () => matches.set(mux(io.asks, matching.and(forgotten.not()), constant(0, n)))).elseWhen(
    io.add.valid.and(io.add.same),
    () => matches.set(matches.or(entering)),
  );
  when(io.add.valid, () => when(allUsed, () => vacant.valid.set(0)).otherwise(() => used.set(used.add(1))));
  when(io.freed, () => vacant.swept.set(1));
  when(io.retire, () => vacant.set({ valid: 1, swept: 0, index: idle.index }));

  return { idle, idlePlace };
}

/** Time in quarters of TIMEOUT, and when each client was heard. */
function timesOf(io: Io, p: RetryClientsParameters) {
  const n = p.clients,
    stamp = uint(p.stampBits);
  const quarter = Math.ceil(p.timeoutCycles / 4);
  const cycles = reg(uint(Math.max(1, Math.ceil(Math.log2(quarter)))), { init: 0 });
  const now = reg(stamp, { init: 0 });
  const ticks = node(cycles.eq(quarter - 1));
  cycles.set(mux(ticks, constant(0, cycles.width), cycles.add(1)));
  when(ticks, () => now.set(now.add(1)));
  const heard = ram(stamp, { depth: n, collision: "undefined", style: "distributed" });
  /** The client touched in the cycle before. */
  const touch = reg(Place(p), guarded);
  touch.set(io.touch);
  heard.write(touch.valid, touch.index, now);

  return { now, heard, touch, touched: (i: UInt): Bit => touch.valid.and(touch.index.eq(i)) };
}

/** One place a cycle: its silence, then whether that is the longest of this round. */
function findLongest(
  io: Io,
  p: RetryClientsParameters,
  { used, vacant, allUsed }: Places,
  { now, heard, touched }: ReturnType<typeof timesOf>,
  { idle, idlePlace }: ReturnType<typeof changeClients>,
) {
  const n = p.clients,
    index = indexOf(p),
    stamp = uint(p.stampBits);
  const Silent = struct({ valid: bit, index, quarters: stamp });
  const looking = reg(index, { init: 0 });
  const looked = reg(Silent, guarded);
  const longest = reg(Silent, guarded);
  const inhabited = (i: UInt): Bit =>
    allUsed.or(i.lt(used.trunc(index.width))).and(vacant.valid.and(vacant.index.eq(i)).not());
  looking.set(looking.add(1));
  looked.set({
    valid: inhabited(looking).and(touched(looking).not()),
    index: looking,
    quarters: now.sub(heard.readAsync(looking)),
  });
  const long = node(looked.quarters.ge(idleQuarters));
  const longer = node(
    looked.valid
      .and(long)
      .and(touched(looked.index).not())
      .and(longest.valid.not().or(looked.quarters.gt(longest.quarters))),
  );
  const standing = node(longest.valid.and(touched(longest.index).not()));
  const ends = node(looked.index.eq(n - 1));
  longest.valid.set(longer.or(standing).and(ends.not()));
  when(longer, () => {
    longest.index.set(looked.index);
    longest.quarters.set(looked.quarters);
  });
  const chosen = reg(Place(p), guarded);
  when(ends, () =>
    chosen.set({ valid: longer.or(standing), index: mux(longer, looked.index, longest.index) }),
  ).elseWhen(touched(chosen.index), () => chosen.valid.set(0));
  idle.set({ valid: chosen.valid.and(touched(chosen.index).not()), index: chosen.index });
  idlePlace.set(decode(chosen.index, n));
  when(io.retire, () => {
    idle.valid.set(0);
    chosen.valid.set(0);
    longest.valid.set(0);
    looked.valid.set(0);
  });
  return { looked, long, ends };
}

/** The longest silence of a round, whether long enough or not. */
function tellRemaining(
  io: Io,
  { looked, long, ends }: ReturnType<typeof findLongest>,
  touched: (i: UInt) => Bit,
): void {
  const enough = constant(idleQuarters, quartersBits);
  const quiet = node(mux(long, enough, looked.quarters.trunc(quartersBits)));
  const most = reg(uint(quartersBits), { init: 0 }),
    left = reg(uint(quartersBits), { init: idleQuarters });
  const counts = node(looked.valid.and(touched(looked.index).not()).and(quiet.gt(most)));
  const roundMost = node(mux(counts, quiet, most));
  most.set(mux(ends, constant(0, quartersBits), roundMost));
  when(ends, () => left.set(enough.sub(roundMost)));
  io.remaining.set(left);
}

/** What callers keep to. */
function check(io: Io, { matching }: Keys, { vacant, allUsed }: Places, idle: Val<ReturnType<typeof Place>>): void {
  assertAlways(atMostOne(matching), "a client is known at one place");
  assertAlways(
    io.add.valid.not().or(allUsed.not()).or(vacant.valid.and(vacant.swept)),
    "a client enters where there is a place",
  );
  assertAlways(io.add.valid.and(io.touch.valid).not(), "who enters is heard of by that");
  assertAlways(io.look.and(io.add.valid).not(), "nobody is looked up while one enters");
  assertAlways(io.retire.not().or(io.idle.valid), "an idle client is forgotten, one at a time");
  assertAlways(
    io.retire.and(io.touch.valid).and(io.touch.index.eq(idle.index)).not(),
    "nobody is forgotten while he is heard of",
  );
}

/**
 * The clients that the retry buffer knows: exact keys (a CAM). `look` looks `key` up; the answer is `found` from the
 * next cycle on, until the next `look`. `asks` 0: the key is no client's. `add` enters a client at `place`: the places
 * in turn, then a place that was given up. With `same`, the key that was looked up is entered, and is `found` from then
 * on. `retire` removes the client `idle`. A look-up in the same cycle does not find that client any more; while it is
 * `found` it is not offered. Its place can be had again from `freed` on, because operations of its may still be
 * remembered until then. One place is vacant at most.
 *
 * `idle` is the client that has been silent for longest, if that is longer than 3 x TIMEOUT. One place is looked at
 * per cycle, so `idle` comes up to 2 x clients cycles after that time. A `touch` takes a client off the list in the
 * next cycle, so a client that sends is never retired. A client that is added is touched soon after. Times wrap after
 * 2^stampBits quarters of TIMEOUT. A client silent for that long counts as fresh for 3 x TIMEOUT more, never the
 * other way round.
 *
 * `strike` makes a client unknown whose place somebody else is to have: it was not heard of for long, though it sent.
 * It is so in the cycle of `struck`, in which the client is not `found` and nobody is retired. Its place stays taken
 * until it is `idle`. Both inputs stay as they are from the cycle before until then.
 *
 * `remaining`: how long the client silent for longest still has, as it was in the last whole round (up to 2 x clients
 * cycles ago), in quarters that have begun; 0 when it can be forgotten. It says nothing while a place is
 * free or `sweeping`.
 *
 * Latency 1; one operation of each kind per cycle, but no `look` with an `add`. Full: `place.valid` is 0. Reset: no
 * client is known.
 */
export const RetryClients = module(
  "RetryClients",
  retryClientsPorts,
  (io, p) => {
    const keys = keysOf(io, p),
      places = placesOf(io, p, keys),
      { vacant } = places;
    const clients = changeClients(io, p, keys, places),
      { idle, idlePlace } = clients;
    const times = timesOf(io, p),
      { touched } = times;
    tellRemaining(io, findLongest(io, p, places, times, clients), touched);
    io.sweeping.set(vacant.valid.andNot(vacant.swept));
    io.idle.set({
      valid: cat(idle.valid, vacant.valid.not(), touched(idle.index).not(), keys.isFoundAt(idlePlace).not()).all(),
      index: idle.index,
    });

    check(io, keys, places, idle);
  },
  { nameOf: p => `RetryClients_c${p.clients}_k${p.clientBits}_t${p.timeoutCycles}_q${p.stampBits}` },
);
