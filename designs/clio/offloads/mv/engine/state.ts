/** What the engine knows: of each context, of all objects, and of the event at hand. */
import { bit, type Bit, mux, node, ram, reg, struct, uint, type UInt, vec } from "../../../../../hdl-dsl/index.ts";
import {
  classCount,
  contextBits,
  Entry,
  entryLayout,
  eventBits,
  headBytes,
  Kept,
  kind,
  leastClass,
  mostClass,
  type MultiVersionParameters,
  versionBits,
} from "../types.ts";
import { ordersOf } from "./orders.ts";
import type { EngineIo } from "./ports.ts";

/** Bits of an entry, and of a value's length. */
export const entryBits = entryLayout.bytes * 8;
export const sizeBits = 14;
export const sizesOf = (p: MultiVersionParameters) => {
  const versions = versionBits(p);
  return {
    ids: p.idBits,
    versions,
    /** Of what is a version in an entry, and a link in the entry of a deleted object. */
    numbers: Math.max(p.idBits, versions),
    roomBits: Math.log2(p.arenaBytes) + 1,
    mapBytes: entryLayout.bytes * 2 ** p.idBits,
  };
};

/**
 * State under way. `half`: the write of an append that has been answered, and `failed` how.
 */
const Note = ({ idBits }: MultiVersionParameters) =>
  struct({
    object: uint(idBits),
    link: uint(idBits),
    fresh: bit,
    half: bit,
    halfIsValue: bit,
    failed: uint(4),
  });

/** By context: the request; its map entry as it is, or is to be; other state under way. */
function memoriesOf(p: MultiVersionParameters) {
  const keep = { depth: p.contexts, collision: "undefined", style: "distributed" } as const;
  return { requests: ram(Kept, keep), entries: ram(Entry(p), keep), notes: ram(Note(p), keep) };
}

/** Keeps requests as they come, and hands them on to be put in order. */
function takeRequests(io: EngineIo, requests: ReturnType<typeof memoriesOf>["requests"]): void {
  const given = io.asked.payload,
    is = (k: number): Bit => given.kind.eq(k),
    well = given.malformed.not();
  requests.write(io.asked.fire, given.context, {
    opcode: given.opcode,
    kind: given.kind,
    malformed: given.malformed,
    object: given.object,
    version: given.version,
    length: given.length,
  });
  io.asked.ready.set(1);
  io.enter.set({
    valid: io.asked.valid,
    context: given.context,
    key: given.object,
    keyed: is(kind.create).not().and(well),
    writes: is(kind.append).or(is(kind.remove)),
    lists: is(kind.create).or(is(kind.remove)).and(well),
  });
}

/** What there is: the last number given, the deleted objects of each class, the map, what is left of the arena. */
function storeOf(p: MultiVersionParameters) {
  const { ids, roomBits } = sizesOf(p),
    classes = classCount(p);
  return {
    last: reg(uint(ids), { init: 0 }),
    heads: reg(vec(uint(ids), classes), { init: Array.from({ length: classes }, () => 0) }),
    hasMap: reg(bit, { init: 0 }),
    map: reg(uint(64)),
    arena: reg(uint(64)),
    room: reg(uint(roomBits), { init: 0 }),
    region: reg(uint(20), { init: 0 }),
    regionIsFresh: reg(bit, { init: 1 }),
  };
}

/** The event, with its request, entry and note. */
function eventOf(p: MultiVersionParameters) {
  return {
    code: reg(uint(eventBits), { name: "e" }),
    context: reg(uint(contextBits(p)), { name: "c" }),
    outcome: reg(uint(4)),
    found: reg(uint(64)),
    readBytes: reg(uint(entryBits)),
    beat: reg(uint(2)),
    request: reg(Kept, { name: "r" }),
    entry: reg(Entry(p)),
    note: reg(Note(p)),
  };
}

/** Compared while the request and its entry stand, two cycles and more before it is decided. */
function comparisonsOf(p: MultiVersionParameters, { request: r, entry }: Event, last: UInt, count: UInt) {
  const isUnknown = reg(bit),
    isMissing = reg(bit),
    isFull = reg(bit),
    isMisfit = reg(bit);
  isUnknown.set(r.object.eq(0).or(r.object.gt(last.zext(32))));
  isMissing.set(mux(r.kind.eq(kind.latest), count.eq(0), r.version.eq(0).or(r.version.gt(count.zext(32)))));
  isFull.set(count.eq(p.versions));
  isMisfit.set(r.length.ne(entry.size.zext(r.length.width).add(headBytes)));
  return { isUnknown, isMissing, isFull, isMisfit };
}
type Event = ReturnType<typeof eventOf>;

/** Where the object and its value lie. */
function placesOf(p: MultiVersionParameters) {
  const { ids, versions, roomBits } = sizesOf(p);
  const index = reg(uint(versions));
  const sizeClass = reg(uint(4));
  const classIndex = node(sizeClass.sub(leastClass).trunc(Math.max(1, Math.ceil(Math.log2(classCount(p))))));
  return {
    index,
    sizeClass,
    classIndex,
    /** The last deleted object of the class. */
    head: reg(uint(ids)),
    arrayBytes: reg(uint(roomBits)),
    offset: reg(uint(versions + mostClass(p))),
    valueAt: reg(uint(64)),
    entryAt: reg(uint(64)),
  };
}

export function stateOf(io: EngineIo, p: MultiVersionParameters) {
  const memories = memoriesOf(p);
  io.entry.set(memories.entries.readAsync(io.entryContext));
  takeRequests(io, memories.requests);
  const store = storeOf(p),
    event = eventOf(p),
    { request, entry } = event;
  const failed = node(event.outcome.any());
  const count = node(entry.number.trunc(versionBits(p)));
  const size = node(mux(request.kind.eq(kind.create), request.version.trunc(sizeBits), entry.size));
  const compared = comparisonsOf(p, event, store.last, count),
    places = placesOf(p),
    orders = ordersOf();
  return {
    memories,
    store,
    event,
    failed,
    /** Versions of the object, and bytes of its values. */
    count,
    size,
    compared,
    places,
    orders,
    on: (k: number): Bit => request.kind.eq(k),
    at: (k: number): Bit => event.code.eq(k),
  };
}
export type State = ReturnType<typeof stateOf>;
