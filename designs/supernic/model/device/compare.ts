/** The device's counters beside the model's, and what they say of frames that did not leave. */
import type { Setup } from "../../software/index.ts";
import { refusals } from "../../wire/index.ts";
import { type Counting, type DeviceCounts, matchReasons } from "./counts.ts";

interface Lost {
  readonly number: number;
  readonly port: number;
}
const sum = (all: readonly number[]): number => all.reduce((n, x) => n + x, 0);

/** Frames that counters tell of: without room, paused for too long, not taken by software. */
export const toldLost = ({ ports, egress, software }: DeviceCounts): number =>
  sum(ports.map(p => p.room)) + egress.paused + software;

/** @param lost frames that did not leave, and that no rule drops */
export function compareCounts(must: Counting, lost: readonly Lost[], is: DeviceCounts, setup: Setup): string[] {
  const problems: string[] = [];
  const check = (what: string, wanted: number, found: number | undefined): void => {
    if (found !== wanted) problems.push(`${what} is ${found ?? "missing"}; it must be ${wanted}`);
  };
  const told = toldLost(is);
  // Frames without room may be some that would have been dropped further in: these counters may lack them.
  let silent = 0;
  const inside = (what: string, wanted: number, found: number): void => {
    if (told === 0 || found > wanted) check(what, wanted, found);
    else silent += wanted - found;
  };
  for (const [p, port] of is.ports.entries()) {
    const isLoop = p === setup.sizes.ports,
      name = isLoop ? "loop port" : `port ${p}`,
      compare = isLoop ? inside : check;
    for (const r of refusals) compare(`${name}: counter refused.${r}`, must.refused[p]?.[r] ?? 0, port.refused[r]);
    for (const r of matchReasons) compare(`${name}: counter matched.${r}`, must.matched[p]?.[r] ?? 0, port.matched[r]);
    if (isLoop) continue;
    check(`${name}: counter in`, must.in[p] ?? 0, port.in);
    check(`${name}: counter out`, must.out[p] ?? 0, port.out);
  }
  for (const why of ["task", "nowhere", "again"] as const)
    inside(`egress: counter ${why}`, must.egress[why], is.egress[why]);
  problems.push(...unexplained(lost, told, silent));
  problems.push(...compareSlots(must, told > 0, is, setup));
  return problems;
}

/**
 * Frames that are lost, more than counters say. @param told by counters: without room, paused, not taken by software.
 * @param silent those among them that would have been dropped all the same
 */
function unexplained(lost: readonly Lost[], told: number, silent: number): string[] {
  const missing = lost.length + silent;
  if (missing === told) return [];
  const which = lost
    .slice(0, 5)
    .map(e => String(e.number))
    .join(", ");
  return [
    missing > told
      ? `${missing} frames are lost, and counters tell of ${told} (no room, paused, software): frames ${which}${lost.length > 5 ? " ..." : ""}`
      : `counters tell of ${told} frames without room, paused or not taken by software; ${missing} did not leave`,
  ];
}

/**
 * What tasks took and dropped, over all instances of a chain. Of frames that were lost nobody knows. A chain that comes
 * and goes takes its slots' counters with it: of its packets those of the egress tell.
 */
function compareSlots(must: Counting, someLost: boolean, is: DeviceCounts, setup: Setup): string[] {
  const problems: string[] = [];
  const moving = new Set(setup.bitstreams?.map(b => b.join("+")));
  for (const { number, regions, labels, name } of setup.chains.filter(c => !moving.has(c.labels.join("+"))))
    for (const [slot, label] of labels.entries()) {
      const of = (count: "took" | "dropped" | "killed" | "strays" | "outside" | "grown"): number =>
        sum(regions.map(r => is.slots[r]?.[slot]?.[count] ?? 0));
      const at = `chain ${name}, ${label}`,
        key = `${number}.${slot}`;
      for (const wrong of ["killed", "strays", "outside", "grown"] as const)
        if (of(wrong) !== 0) problems.push(`${at}: counter ${wrong} is ${of(wrong)}; it must be 0`);
      if (someLost) continue;
      for (const [count, wanted] of [
        ["took", must.took.get(key) ?? 0],
        ["dropped", must.dropped.get(key) ?? 0],
      ] as const)
        if (of(count) !== wanted) problems.push(`${at}: counter ${count} is ${of(count)}; it must be ${wanted}`);
    }
  return problems;
}
