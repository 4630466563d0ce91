/**
 * What becomes of every frame, as the registers tell it: frames in = frames out + dropped + inside. Copies of a frame
 * that leaves by several ports, and frames of software, come in as well; frames for software go out.
 */
import type { SnicDriver, SpillDriver } from "../../registers/index.ts";
import type { Setup } from "../../software/index.ts";
import type { AllCounts, Counts } from "./counters.ts";

/** What the device has inside, block by block. */
export interface Inside {
  /** By port, the loop port last: frames in the class queues, and kept for the wire. */
  readonly ports: readonly { readonly queued: number; readonly kept: number }[];
  /** Packets that have a context. */
  readonly core: number;
  /** Frames in the switch lane. */
  readonly lane: number;
  readonly cells: number;
  /** Frames in rings for DAGs that wait, and on their way into one or out of one. */
  readonly rings: number;
}
/** @param ports those of the build, without the loop port; `rings` of a device that has rings */
export async function readInside(driver: SnicDriver, ports: number, rings?: SpillDriver): Promise<Inside> {
  const { registers } = driver,
    list: Inside["ports"][number][] = [];
  for (let i = 0; i <= ports; i++) list.push(await driver.inside(i));
  const { queued: lane } = await driver.inside(ports + 1);
  return {
    ports: list,
    core: (await registers.read("buildContexts")) - (await registers.read("freeContexts")),
    lane,
    cells: (await registers.read("buildCells")) - (await registers.read("freeCells")),
    rings: rings === undefined ? 0 : await framesIn(rings),
  };
}
async function framesIn(rings: SpillDriver): Promise<number> {
  let frames = 0;
  for (let ring = 0; ring < (await rings.rings()); ring++) frames += (await rings.ring(ring)).inside;
  return frames;
}
const sum = (all: readonly number[]): number => all.reduce((n, x) => n + x, 0);
/** Frames inside. */
export const framesInside = ({ ports, core, lane, rings }: Inside): number =>
  sum(ports.map(p => p.queued + p.kept)) + core + lane + rings;

const of = (c: Counts, ...names: readonly string[]): number => sum(names.map(n => c[n] ?? 0));
const startsWith = (c: Counts, ...begin: readonly string[]): number =>
  sum(Object.entries(c).map(([name, n]) => (begin.some(b => name.startsWith(b)) ? n : 0)));

/** A place that frames go through: those that came there, and what became of them. */
export interface Joint {
  readonly name: string;
  readonly came: number;
  readonly went: number;
}
/** Of results that return: at ports of peers no user's frames have it. */
const returnClass = 3;
/** What a frame's way is made of. In a device without traffic each place has as many that came as went. */
export function joints({ ports, middle }: AllCounts, peers: ReadonlySet<number> = new Set()): readonly Joint[] {
  const queued = (...classes: readonly number[]): number =>
      sum(ports.map(p => of(p, ...classes.map(k => `inQueued${k}`)))),
    returned = sum(ports.filter((_, i) => peers.has(i)).map(p => of(p, `inQueued${returnClass}`)));
  const loop = ports.at(-1) ?? {};
  return [
    {
      name: "the queues of users",
      came: queued(0, 1, 2, 3) - returned,
      went: of(middle, "arrived", "ringLost", "ringDiscarded"),
    },
    { name: "the core", came: of(middle, "arrived"), went: of(middle, "left") + startsWith(middle, "drop") },
    {
      name: "the switch lane",
      came: queued(4, 5) + returned + of(middle, "laneOwn"),
      went: of(middle, "laneLeft", "laneToSoftware", "laneNotTaken", "laneNowhere", "laneBadSoftware"),
    },
    {
      name: "the ways out",
      came: of(middle, "left", "laneLeft", "laneCopies"),
      went: startsWith(loop, "in") + sum(ports.map(p => of(p, "outDone", "outLost", "outMarked", "outLong"))),
    },
  ];
}
/** Frames in, out and dropped, over all places. */
export interface Totals {
  readonly in: number;
  readonly out: number;
  readonly dropped: number;
}
export function totals({ ports, middle }: AllCounts): Totals {
  const outside = ports.slice(0, -1);
  return {
    in: sum(outside.map(p => startsWith(p, "in"))) + of(middle, "laneOwn", "laneCopies"),
    out: sum(outside.map(p => of(p, "outDone"))) + of(middle, "laneToSoftware"),
    dropped:
      sum(ports.map(p => startsWith(p, "in") - startsWith(p, "inQueued") + of(p, "outLost", "outMarked", "outLong"))) +
      startsWith(middle, "drop") +
      of(middle, "laneNotTaken", "laneNowhere", "laneBadSoftware", "ringLost", "ringDiscarded"),
  };
}
/** What a device has inside, place by place, where that is something. */
const insideOf = (inside: Inside): readonly (readonly [string, number])[] =>
  Object.entries({
    ...Object.fromEntries(
      inside.ports.flatMap((p, i) => [
        [`port ${i}: frames in the class queues`, p.queued],
        [`port ${i}: frames kept for the wire`, p.kept],
      ]),
    ),
    "contexts in use": inside.core,
    "frames in the switch lane": inside.lane,
    "cells in use": inside.cells,
    "frames in rings": inside.rings,
  }).filter(([, n]) => n !== 0);
/** Frames in = frames out + dropped + inside. @returns a sentence when it is not so */
function notSummedUp(counts: AllCounts, inside: Inside): readonly string[] {
  const all = totals(counts),
    held = framesInside(inside);
  return all.in === all.out + all.dropped + held
    ? []
    : [`frames in ${all.in}, out ${all.out}, dropped ${all.dropped}, inside ${held}: they do not sum up`];
}
/**
 * What does not fit in a device that has come to rest: a sentence for each place that loses or makes frames. @param
 * setup of the device, if some of its ports lead to peers
 */
export function unaccounted(counts: AllCounts, inside: Inside, setup?: Pick<Setup, "ports">): readonly string[] {
  const peers = new Set((setup?.ports ?? []).flatMap((p, i) => (p.peer ? [i] : []))),
    left = insideOf(inside).map(([what, n]) => `${what} at the end: ${n}`);
  const wrong = joints(counts, peers).flatMap(({ name, came, went }) =>
    came === went ? [] : [`${name}: ${came} frames came, and ${went} are accounted for`],
  );
  return [...left, ...wrong, ...notSummedUp(counts, inside)];
}

/** A device in which something waits, when nothing moved while its registers were read. */
export interface Waiting {
  /** What is inside, place by place. */
  readonly inside: readonly string[];
  /** A sentence when frames are missing beside those that wait. */
  readonly problems: readonly string[];
  readonly counts: AllCounts;
}
/** Readings of a device that may be moving still. */
const mostReadings = 8;
/**
 * The ledger of a device in which something waits: for a region, or for the end of a pause. @returns undefined when
 * frames move: then each register tells of another moment
 */
export async function waitingLedger(device: {
  readonly counters: () => Promise<AllCounts>;
  readonly inside: () => Promise<Inside>;
}): Promise<Waiting | undefined> {
  let before = "";
  for (let i = 0; i < mostReadings; i++) {
    const inside = await device.inside(),
      counts = await device.counters(),
      now = JSON.stringify([inside, counts]);
    if (now === before) {
      return {
        inside: insideOf(inside).map(([what, n]) => `${what}: ${n}`),
        problems: notSummedUp(counts, inside),
        counts,
      };
    }
    before = now;
  }
  return undefined;
}
