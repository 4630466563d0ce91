/** Allocated pages from `start` to `end - 1` with the same permissions. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly write: boolean;
}

/**
 * A tree of ranges that do not overlap, in order of address, with the sizes of the gaps between them. Nodes are never
 * changed, so a tree is a value. The functions below return trees that share the unchanged nodes. Balanced as an AVL
 * tree (heights of siblings differ by 1 at most), so `n` ranges are at most 1.44 log2(n + 2) deep.
 */
export interface VaTree {
  readonly left: VaTree | undefined;
  readonly range: Range;
  readonly right: VaTree | undefined;
  readonly height: number;
  /** Ranges and pages in all. */
  readonly count: number;
  readonly pages: number;
  /** First page of the first range; page after the last one. */
  readonly first: number;
  readonly last: number;
  /** Most free pages between two neighbours. */
  readonly gap: number;
}
type Tree = VaTree | undefined;

const height = (t: Tree): number => t?.height ?? 0;

function make(left: Tree, range: Range, right: Tree): VaTree {
  return {
    left,
    range,
    right,
    height: 1 + Math.max(height(left), height(right)),
    count: 1 + (left?.count ?? 0) + (right?.count ?? 0),
    pages: range.end - range.start + (left?.pages ?? 0) + (right?.pages ?? 0),
    first: left?.first ?? range.start,
    last: right?.last ?? range.end,
    gap: Math.max(
      left?.gap ?? 0,
      right?.gap ?? 0,
      left ? range.start - left.last : 0,
      right ? right.first - range.end : 0,
    ),
  };
}

/** Like `make`, for siblings whose heights differ by 2 at most. */
function balanced(left: Tree, range: Range, right: Tree): VaTree {
  if (left && left.height > height(right) + 1) {
    const inner = left.right;
    if (!inner || height(left.left) >= inner.height) return make(left.left, left.range, make(inner, range, right));
    return make(make(left.left, left.range, inner.left), inner.range, make(inner.right, range, right));
  }
  if (right && right.height > height(left) + 1) {
    const inner = right.left;
    if (!inner || height(right.right) >= inner.height) return make(make(left, range, inner), right.range, right.right);
    return make(make(left, range, inner.left), inner.range, make(inner.right, right.range, right.right));
  }
  return make(left, range, right);
}

/** One tree of two and a range between them, whatever their heights. O(difference of the heights). */
export function join(left: Tree, range: Range, right: Tree): VaTree {
  if (left && left.height > height(right) + 1) return balanced(left.left, left.range, join(left.right, range, right));
  if (right && right.height > height(left) + 1)
    return balanced(join(left, range, right.left), right.range, right.right);
  return make(left, range, right);
}

/** The tree without its last range, and that range. O(log n). */
function withoutLast(t: VaTree): { readonly rest: Tree; readonly last: Range } {
  if (!t.right) return { rest: t.left, last: t.range };
  const { rest, last } = withoutLast(t.right);
  return { rest: balanced(t.left, t.range, rest), last };
}

/** One tree of two, all of the first before all of the second. O(log n). */
export function concatenate(left: Tree, right: Tree): Tree {
  if (!left) return right;
  const { rest, last } = withoutLast(left);
  return join(rest, last, right);
}

/** The parts before and from a page on; a range that reaches over it is cut in two. O(log n). */
export function split(t: Tree, page: number): { readonly before: Tree; readonly from: Tree } {
  if (!t) return { before: undefined, from: undefined };
  const { range } = t;
  if (page <= range.start) {
    const { before, from } = split(t.left, page);
    return { before, from: join(from, range, t.right) };
  }
  if (page >= range.end) {
    const { before, from } = split(t.right, page);
    return { before: join(t.left, range, before), from };
  }
  return {
    before: join(t.left, { ...range, end: page }, undefined),
    from: join(undefined, { ...range, start: page }, t.right),
  };
}

/** The first range that ends after a page. O(log n). */
export function rangeAfter(t: Tree, page: number): Range | undefined {
  let found: Range | undefined;
  for (let at = t; at;)
    if (at.range.end > page) {
      found = at.range;
      at = at.left;
    } else at = at.right;
  return found;
}

/**
 * The first page of lo .. hi - 1 from which `count` pages up to hi are free. O(log n): a subtree between lo and hi is
 * entered only when it has the room. Of the subtrees across lo or hi there is one at each depth. `visited` is called
 * for every node looked at.
 */
export function roomIn(t: Tree, lo: number, hi: number, count: number, visited?: () => void): number | undefined {
  if (hi - lo < count) return undefined;
  if (!t) return lo;
  visited?.();
  if (t.last <= lo || t.first >= hi) return lo;
  if (t.gap < count && t.first - lo < count && hi - t.last < count) return undefined;
  return (
    roomIn(t.left, lo, Math.min(hi, t.range.start), count, visited) ??
    roomIn(t.right, Math.max(lo, t.range.end), hi, count, visited)
  );
}

/** All ranges in order. */
export function* rangesOf(t: Tree): Generator<Range> {
  if (!t) return;
  yield* rangesOf(t.left);
  yield t.range;
  yield* rangesOf(t.right);
}
