/**
 * Who may go the other way round a sNIC that is off (docs/supernic/peers.md, "A way round"): the first one's pairs, at
 * any time. Of others one that goes round while another one has not done so, or has come back, can stop a ring.
 */
import { describe, expect, it } from "vitest";
import { readRack } from "../../../../designs/rack/setup/index.ts";
import { before, fewest, next, notThroughTheFirst, otherThan, ring, ringText, type Way } from "../rig/peers/ring.ts";

type Pair = readonly [number, number];
const pairsOf = (count: number): readonly Pair[] =>
  Array.from({ length: count }, (_, a) =>
    Array.from({ length: count - a - 1 }, (_x, i): Pair => [a, a + 1 + i]),
  ).flat();
/** The sNICs in between, in their order. */
function between(way: Way, [a, b]: Pair, count: number): readonly number[] {
  const { port, hops } = way(a, b, count);
  return Array.from({ length: hops - 1 }, (_, i) => (a + (port === next ? i + 1 : count - i - 1)) % count);
}
const passes = (way: Way, pair: Pair, off: number, count: number): boolean => between(way, pair, count).includes(off);
/** What the setup has, for rings of any length: of four the fewest links, of more none over the first. */
const usual = (count: number): Way => (count === 4 ? fewest : notThroughTheFirst);
const same = ([a, b]: Pair, x: number, y: number): boolean => a === Math.min(x, y) && b === Math.max(x, y);
/** As `way`, but these pairs go the other way round. */
const moved =
  (way: Way, pairs: readonly Pair[]): Way =>
  (a, b, count) => {
    const { port, hops } = way(a, b, count);
    return pairs.some(p => same(p, a, b))
      ? { port: port === next ? before : next, hops: count - hops }
      : { port, hops };
  };

/** Ways of which each pair may have several: whether their ports could wait for each other in a circle. */
function closes(count: number, ways: readonly (readonly [Pair, Way])[]): boolean {
  const waits = new Map<string, Set<string>>();
  for (const [[x, y], way] of ways)
    for (const [a, b] of [
      [x, y],
      [y, x],
    ] as const) {
      const step = way(a, b, count).port === next ? 1 : count - 1;
      for (let at = a; at !== b; at = (at + step) % count) {
        const port = `${at} ${step}`,
          then = (at + step) % count;
        waits.set(port, waits.get(port) ?? new Set());
        if (then !== b) waits.get(port)?.add(`${then} ${step}`);
      }
    }
  for (let left = -1; left !== waits.size;) {
    left = waits.size;
    for (const [port, of] of waits) if ([...of].every(p => !waits.has(p))) waits.delete(port);
  }
  return waits.size > 0;
}
const each = (count: number, way: Way): readonly (readonly [Pair, Way])[] => pairsOf(count).map(p => [p, way]);
const over = (count: number, off: number): readonly Pair[] =>
  pairsOf(count).filter(p => passes(usual(count), p, off, count));
/** All that went over it go round, and nobody speaks to it. */
const round = (count: number, off: number): readonly (readonly [Pair, Way])[] =>
  each(count, moved(usual(count), over(count, off))).filter(([p]) => !p.includes(off));

const lengths = [4, 5, 6, 7, 8];
describe("a ring with a sNIC off", () => {
  it.each(lengths)("of %i: it is a line, and its ways close no circle, whichever is off", count => {
    expect(closes(count, each(count, usual(count)))).toBe(false);
    for (let off = 0; off < count; off++) {
      expect(round(count, off).every(([p, way]) => !passes(way, p, off, count))).toBe(true);
      expect(closes(count, round(count, off)), `${off} is off`).toBe(false);
    }
  });
  it.each(lengths.filter(n => n > 4))(
    "of %i: one pair that goes round alone closes a circle with those that do not, and the setup refuses these ways",
    count => {
      const alone = pairsOf(count).filter(p => {
        const way = moved(usual(count), [p]);
        return between(usual(count), p, count).length > 0 && closes(count, each(count, way));
      });
      expect(alone.length).toBeGreaterThan(0);
      // As long as a sNIC that they all went over is off, nothing passes there: then there is none.
      for (const pair of alone)
        for (const off of between(usual(count), pair, count)) {
          const rest = each(count, moved(usual(count), [pair])).filter(
            ([p, way]) => !p.includes(off) && !passes(way, p, off, count),
          );
          expect(closes(count, rest), `${pair.join()} round ${off}`).toBe(false);
        }
    },
  );
  it("of five: the pair of the second and the last round the third, while that passes others' frames", () => {
    const way = moved(notThroughTheFirst, [[1, 4]]);
    // These are the ways with which test/designs/rack/rig/peers/ring.test.ts stands still for ever, cycle by cycle.
    expect(ringText(5, way)).toBe(ringText(5, fewest));
    expect(() => ring(5, way)).toThrow("close a circle");
    expect(over(5, 2).map(p => p.join())).toEqual(["1,3", "1,4"]);
    expect(() => readRack(ringText(5, moved(way, [[1, 3]])), "ring")).not.toThrow();
  });
  it.each(lengths)("of %i: the first one may have both ways to each at any time, and no other pair besides", count => {
    const all = pairsOf(count),
      ofFirst = all.filter(p => p.includes(0)),
      // Fewest links between others, but none over the first.
      of = (pairs: readonly Pair[]) => [
        ...each(count, notThroughTheFirst),
        ...pairs.map(p => [p, moved(notThroughTheFirst, pairs)] as const),
      ];
    expect(closes(count, of(ofFirst))).toBe(false);
    for (const p of all.filter(x => !x.includes(0)))
      expect(closes(count, of([...ofFirst, p])), `${p.join()} as well`).toBe(true);
  });
  it.each(lengths)("of %i: the setup takes both ways of the first one, and not those of two beside it", count => {
    const around = otherThan(notThroughTheFirst),
      read = (text: string): unknown => readRack(text, "ring");
    expect(() => read(ringText(count, notThroughTheFirst, 2, around))).not.toThrow();
    const file = JSON.parse(ringText(count, notThroughTheFirst, 2, around)) as {
      devices: { setup: { peers: Record<string, unknown>[] } }[];
    };
    for (const [a, b] of [
      [1, count - 1],
      [count - 1, 1],
    ] as const) {
      const peer = file.devices[a]?.setup.peers.find(p => p["name"] === `snic${b}`);
      Object.assign(peer ?? {}, { around: around(a, b, count) });
    }
    expect(() => read(JSON.stringify(file))).toThrow("close a circle");
  });
  it.each<readonly [string, Way, string]>([
    [
      "has another number of links",
      (a, b, n) => ({ ...otherThan(notThroughTheFirst)(a, b, n), hops: 1 }),
      "ring: devices[0].setup.peers[0].around.hops = 1: the way to snic1 by port 3 has 4 links; say so, or name another port",
    ],
    [
      "is the first one",
      notThroughTheFirst,
      "ring: devices[0].setup: peers[0].around.port = 2: that is the first way; name another port, or leave it out",
    ],
    [
      "leads to no sNIC",
      (a, b, n) => ({ ...otherThan(notThroughTheFirst)(a, b, n), port: 0 }),
      "ring: devices[0].setup: peers[0].around.port = 0: ports[0].peer is false; set it to true, or name another port",
    ],
  ])("refuses another way that %s", (_, around, text) => {
    expect(() => readRack(ringText(5, notThroughTheFirst, 2, around), "ring")).toThrow(text);
  });
  it("refuses another way that only one end has", () => {
    const file = JSON.parse(ringText(5, notThroughTheFirst, 2, otherThan(notThroughTheFirst))) as {
      devices: { setup: { peers: Record<string, unknown>[] } }[];
    };
    delete file.devices[1]?.setup.peers[0]?.["around"];
    expect(() => readRack(JSON.stringify(file), "ring")).toThrow(
      "ring: devices[0].setup.peers[0].around.port = 3: snic1 has another way back to snic0, and takes what comes by this one for a stranger's; name the same way at both",
    );
  });
});
