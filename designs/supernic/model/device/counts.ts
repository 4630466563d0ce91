/** What a device counts, as software reads it; and what the model says that it must be. */
import type { Fate } from "./fate.ts";
import { type MatchDropName, matchDrops, type Refusal, refusals } from "../../wire/index.ts";

export type MatchReason = Exclude<MatchDropName, "none" | "refused">;
export const matchReasons = matchDrops.filter((d): d is MatchReason => d !== "none" && d !== "refused");

export interface PortCounts {
  /** Frames that came from the MAC, or by the loop port. */
  readonly in: number;
  /** Frames given to the MAC that have a user's or software's bytes: no ACK, no PFC, none a second time. */
  readonly out: number;
  readonly refused: Readonly<Record<Refusal, number>>;
  readonly matched: Readonly<Record<MatchReason, number>>;
  /** Frames that were right, and had no room in their class queue. */
  readonly room: number;
}
export interface SlotCounts {
  readonly took: number;
  readonly dropped: number;
  readonly killed: number;
  readonly strays: number;
  readonly outside: number;
  readonly grown: number;
}
export interface DeviceCounts {
  /** The loop port last; it has no `out`. */
  readonly ports: readonly PortCounts[];
  /** By region and slot; an empty region has none. */
  readonly slots: readonly (readonly SlotCounts[])[];
  /** Packets that the egress dropped. `task`: a task wants it so; `paused`: their class was paused for too long. */
  readonly egress: {
    readonly task: number;
    readonly nowhere: number;
    readonly again: number;
    readonly paused: number;
  };
  /** Frames that software did not take in time. */
  readonly software: number;
}

/** The same, to be counted up. */
export class Counting {
  readonly in: number[];
  readonly out: number[];
  readonly refused: Record<Refusal, number>[];
  readonly matched: Record<MatchReason, number>[];
  readonly egress = { task: 0, nowhere: 0, again: 0 };
  /** By chain and slot. */
  readonly took = new Map<string, number>();
  readonly dropped = new Map<string, number>();

  constructor(inlets: number) {
    const each = <T>(make: () => T): T[] => Array.from({ length: inlets }, make);
    this.in = each(() => 0);
    this.out = each(() => 0);
    this.refused = each(() => Object.fromEntries(refusals.map(r => [r, 0])) as Record<Refusal, number>);
    this.matched = each(() => Object.fromEntries(matchReasons.map(r => [r, 0])) as Record<MatchReason, number>);
  }
  /** What became of a frame that came in at a port. */
  add(port: number, { passes, drop }: Fate): void {
    this.in[port] = (this.in[port] ?? 0) + 1;
    for (const { took, dropped } of passes) {
      for (const { chain, slot } of took) count(this.took, chain, slot);
      for (const { chain, slot } of dropped) count(this.dropped, chain, slot);
    }
    const { refused, matched } = this;
    if (drop?.by === "judge") more(refused[drop.port], drop.reason);
    if (drop?.by === "match") more(matched[drop.port], drop.reason);
    if (drop?.by === "egress") this.egress[drop.reason]++;
    if (drop?.by === "task") this.egress.task++;
  }
}
function count(of: Map<string, number>, chain: number, slot: number): void {
  const key = `${chain}.${slot}`;
  of.set(key, (of.get(key) ?? 0) + 1);
}
function more<K extends string>(of: Record<K, number> | undefined, key: K): void {
  if (of) of[key]++;
}
