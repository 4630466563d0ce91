/** The directory of the KV cache: sets of four values, and which of them goes for a new one. */
import {
  type Bit,
  bit,
  constant,
  firstSet,
  fromBits,
  mux,
  node,
  ram,
  reg,
  uint,
  type UInt,
  type Val,
} from "../../../../../hdl-dsl/index.ts";
import { kvWays } from "../../../wire/index.ts";
import { type KvCacheParameters, Line, setBits } from "./records.ts";

/** Bits that say which way goes first: of FIFO the next one, of LRU for each pair which was used later. */
const orderBits = 6;
const pairs = [0, 1, 2, 3].flatMap(i => [0, 1, 2, 3].filter(j => j > i).map(j => [i, j] as const));

/** The order after a way was used: it is the later one of each pair. A set bit: the lower way was used later. */
function touched(order: UInt, way: UInt): UInt {
  return fromBits(
    pairs.map(([i, j], at) => mux(way.eq(i), constant(1, 1), mux(way.eq(j), constant(0, 1), order.bit(at)))),
  );
}
/** The way that was used before all others. */
function leastUsed(order: UInt): UInt {
  const later = (i: number, j: number): Bit => {
    const at = pairs.findIndex(([a, b]) => a === Math.min(i, j) && b === Math.max(i, j));
    return i < j ? order.bit(at) : order.bit(at).not();
  };
  return firstSet(
    fromBits(
      [0, 1, 2, 3].map(i =>
        [0, 1, 2, 3]
          .filter(j => j !== i)
          .map(j => later(j, i))
          .reduce((a, b) => a.and(b)),
      ),
    ),
  ).index;
}

/** Reads are asked for with `reads`; what they found stands a cycle later, and compared one more. */
export function setsOf(p: KvCacheParameters, set: UInt, reads: Bit, key: UInt) {
  const depth = p.values / kvWays,
    at = set.trunc(setBits(p)),
    ways = Array.from({ length: kvWays }, (_, i) =>
      ram(Line, { depth, collision: "undefined", style: "block", name: `lines_${i}` }),
    ),
    orders = ram(uint(orderBits), { depth, collision: "undefined", style: "block", name: "orders" }),
    rows = ways.map((w, i) => w.readSync(at.is(setBits(p)), { en: reads, name: `line_${i}` })),
    order = orders.readSync(at, { en: reads, name: "order" });
  const hits = rows.map((row, i) => {
    const hit = reg(uint(1), { init: 0, name: `hits_way_${i}` });
    hit.set(row.valid.and(row.key.eq(key)));
    return hit;
  });
  const free = firstSet(fromBits(rows.map(r => r.valid.not()))),
    victim = reg(uint(2), { name: "victim" }),
    hitWay = firstSet(fromBits(hits)).index;
  victim.set(mux(free.any, free.index, p.policy === "fifo" ? order.trunc(2) : leastUsed(order)).is(2));
  return {
    hit: node(fromBits(hits).any(), { name: "is_hit" }),
    hits,
    hitWay,
    rows,
    victim,
    /** One write a cycle for each way; the order of the set changes with `uses` or `replaces`. */
    write: (o: {
      readonly clears: Bit;
      readonly clearAt: UInt;
      readonly ways: readonly Bit[];
      readonly line: Val<typeof Line>;
      readonly uses: Bit;
      readonly usedWay: UInt;
      readonly replaces: Bit;
    }): void => {
      ways.forEach((way, i) => {
        const writes = o.ways[i] ?? o.clears;
        way.write(writes.or(o.clears), mux(writes, at, o.clearAt.trunc(setBits(p))).is(setBits(p)), {
          ...o.line,
          valid: o.line.valid.and(writes),
        });
      });
      if (p.policy === "lru") {
        orders.write(o.uses, at, touched(order, o.usedWay).is(orderBits));
        return;
      }
      // A value in a free place takes nobody's turn.
      const isFull = reg(bit, { init: 0, name: "set_is_full" });
      isFull.set(free.any.not());
      // Of an emptied set the first place is filled first, so it is the oldest one: its turn comes first.
      orders.write(
        o.replaces.and(isFull).or(o.clears),
        mux(o.clears, o.clearAt.trunc(setBits(p)), at),
        mux(o.clears, constant(0, orderBits), order.add(1).is(orderBits)),
      );
    },
  };
}
