/** Which operation of a full set makes room for a new one. */
import { type Bit, cat, fromBits, lowestBits, node, orTree, type UInt } from "../../../../hdl-dsl/index.ts";

/** The pairs of a set's ways, the lower one first. */
const pairsOf = (ways: number): readonly (readonly [number, number])[] =>
  Array.from({ length: ways }, (_, i) => i).flatMap(i =>
    Array.from({ length: ways - i - 1 }, (_, k) => [i, i + 1 + k] as const),
  );
/** Bits that a set keeps about its ways: of each pair, whether the higher is newer, and whether one client has both. */
export const turnBits = (ways: number): number => 2 * pairsOf(ways).length;

/** Whether at least `count` of a few bits are set. */
function atLeast(bits: readonly Bit[], count: number): Bit {
  const chosen = (from: number, left: number): readonly Bit[] =>
    left === 0
      ? []
      : bits
          .slice(from)
          .flatMap((b, i) => (left === 1 ? [b] : chosen(from + i + 1, left - 1).map(rest => b.and(rest))));
  return orTree(chosen(0, count));
}

/**
 * The way that makes room, one bit each: an empty one, the lowest. Otherwise one of the client that has most ways of
 * the set. Among clients that have equally many it is the asking one's, or else the oldest. So an operation is pushed
 * out by another client's only while its client has more ways of the set than that other one.
 * @param turn what the set keeps (`turnBits`)
 * @param own the ways of the asking client
 * @returns the way, and what the set keeps from then on. Wires only.
 */
export function turnOf(turn: UInt, taken: readonly Bit[], own: readonly Bit[]): { way: Bit[]; next: UInt; full: Bit } {
  const ways = taken.length,
    pairs = pairsOf(ways);
  const newer = (i: number, j: number): Bit => turn.bit(pairs.findIndex(([a, b]) => a === i && b === j));
  const shared = (i: number, j: number): Bit =>
    turn.bit(pairs.length + pairs.findIndex(([a, b]) => a === Math.min(i, j) && b === Math.max(i, j)));
  const isOlder = (i: number, j: number): Bit => (i < j ? newer(i, j) : newer(j, i).not());
  const all = Array.from({ length: ways }, (_, i) => i);
  const others = (i: number): readonly number[] => all.filter(j => j !== i);

  // One client at most has more than half the ways, so counts above that need not be told apart.
  const most = Array.from({ length: ways >> 1 }, (_, k) => k + 1).reverse();
  const counted = most.map(count =>
    all.map(i =>
      atLeast(
        others(i).map(j => shared(i, j)),
        count,
      ),
    ),
  );
  const crowded = all.map(i =>
    node(
      orTree([
        ...counted.map((level, k) =>
          cat(level[i] as Bit, ...counted.slice(0, k).map(above => orTree(above).not())).all(),
        ),
        orTree(counted.flat()).not(),
      ]),
      { name: `crowded_${i}` },
    ),
  );
  // What follows from `turn` alone comes first: `own` is late. A way of the asking client counts when it is crowded,
  // and yields to an older such one: so each way waits for four bits only.
  const yields = (i: number, j: number): Bit => node((crowded[j] as Bit).not().or(isOlder(i, j)));
  const oldest = all.map(i =>
    node(cat(crowded[i] as Bit, ...others(i).map(j => yields(i, j))).all(), { name: `oldest_${i}` }),
  );
  const mine = all.map(i => node((own[i] as Bit).and(crowded[i] as Bit), { name: `mine_${i}` }));
  const oldestMine = all.map(i =>
    cat(mine[i] as Bit, ...others(i).map(j => (mine[j] as Bit).not().or(isOlder(i, j)))).all(),
  );
  const noneMine = node(orTree(mine).not());
  const empty = node(fromBits(taken.map(t => t.not()))),
    lowest = lowestBits(empty),
    full = node(empty.any().not());
  const way = all.map(i => {
    const ofOthers = noneMine.and(node(full.and(oldest[i] as Bit))),
      itsOwn = full.and(oldestMine[i] as Bit);
    return node(orTree([lowest[i] as Bit, ofOthers, itsOwn]), { name: `makes_room_${i}` });
  });
  const is = (i: number): Bit => way[i] as Bit;
  const next = fromBits([
    ...pairs.map(([i, j]) => is(j).or(newer(i, j).and(is(i).not()))),
    ...pairs.map(([i, j]) =>
      orTree([is(j).and(own[i] as Bit), is(i).and(own[j] as Bit), cat(is(i).not(), is(j).not(), shared(i, j)).all()]),
    ),
  ]);
  return { way, next, full };
}
