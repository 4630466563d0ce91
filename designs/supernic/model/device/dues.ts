/** Frames that are due to leave, by port and bytes. */
import { difference, likeness } from "./difference.ts";
import type { TaskClaim } from "../tasks/index.ts";
import type { Exit, Fate } from "./fate.ts";
import type { Claim } from "./open-nat.ts";

/** One way that a frame may go, and what it takes for true. */
export interface Way {
  readonly fate: Fate;
  readonly claims: readonly Claim[];
  /** The same of tasks. */
  readonly tasks: readonly TaskClaim[];
}
/** A frame that came in. */
export interface Entered {
  readonly number: number;
  readonly port: number;
  readonly bytes: Uint8Array;
  /** What became of it: settled when all its frames have left, or at the end of the run. */
  readonly fate: Fate | undefined;
  /** Frames of it that have left. */
  readonly left: readonly Exit[];
  /** Its frames did not leave, and no rule says why. */
  readonly lost: boolean;
}
export interface Entry extends Entered {
  ways: readonly Way[];
  fate: Fate | undefined;
  left: Exit[];
  lost: boolean;
  /** Number of the step at which it came in. */
  readonly step: number;
}
/** A frame that is due at a port. */
export interface Due {
  readonly entry: Entry;
  readonly way: Way;
  readonly exit: Exit;
}
/** As a port: the stream to software. */
export const toSoftware = -1;
export const portName = (port: number): string => (port === toSoftware ? "software" : `port ${port}`);
/** What leaves of a frame; software is a port of its own. */
export const exitsOf = (fate: Fate): readonly Exit[] =>
  fate.software === undefined ? fate.exits : [{ port: toSoftware, bytes: fate.software }];

/** A frame that is at least so like one that is due is taken for it, and only its difference is told. */
const alike = 0.75;
const keyOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const orderOf = ({ exit, way }: Due): string | undefined => ("order" in exit ? exit.order : way.fate.order),
  orderAt = (due: Due): string => `${due.exit.port} ${orderOf(due) ?? ""}`;

export class Dues {
  readonly #problems: string[];
  readonly #possible: (due: Due) => boolean;
  readonly #at = new Map<number, Map<string, Due[]>>();
  readonly #of = new Map<Entry, Due[]>();
  readonly #last = new Map<string, number>();
  readonly #gone = new Map<number, Map<string, number>>();

  /** @param problems where faults are told @param possible whether a way can still be as it is taken */
  constructor(problems: string[], possible: (due: Due) => boolean) {
    this.#problems = problems;
    this.#possible = possible;
  }

  add(entry: Entry): void {
    for (const way of entry.ways)
      for (const exit of exitsOf(way.fate)) {
        const due = { entry, way, exit },
          at = this.#at.get(exit.port) ?? new Map<string, Due[]>(),
          key = keyOf(exit.bytes);
        this.#at.set(exit.port, at.set(key, [...(at.get(key) ?? []), due]));
        this.#of.set(entry, [...(this.#of.get(entry) ?? []), due]);
      }
  }
  /** The frame that left; it is no longer due. Undefined: it cannot be told. */
  take(port: number, bytes: Uint8Array): Due | undefined {
    const due = this.#find(port, bytes) ?? this.#meant(port, bytes);
    if (due === undefined) return undefined;
    const mine = this.#of.get(due.entry) ?? [],
      rest = mine.filter(d => d.way === due.way && d.exit !== due.exit);
    for (const d of mine) if (!rest.includes(d)) this.#drop(d);
    if (rest.length === 0) this.#of.delete(due.entry);
    else this.#of.set(due.entry, rest);
    const gone = this.#gone.get(port) ?? new Map<string, number>();
    this.#gone.set(port, gone.set(keyOf(bytes), due.entry.number));
    return due;
  }
  /** A frame with these bytes is due at the port. */
  has(port: number, bytes: Uint8Array): boolean {
    return this.#with(port, bytes).length > 0;
  }
  #drop(due: Due): void {
    const at = this.#at.get(due.exit.port),
      key = keyOf(due.exit.bytes),
      rest = (at?.get(key) ?? []).filter(d => d !== due);
    if (rest.length === 0) at?.delete(key);
    else at?.set(key, rest);
  }

  #with(port: number, bytes: Uint8Array): Due[] {
    return (this.#at.get(port)?.get(keyOf(bytes)) ?? []).filter(d => this.#possible(d));
  }
  /** Of the frames with these bytes, the first of its flow behind what has left of it. */
  #find(port: number, bytes: Uint8Array): Due | undefined {
    const all = this.#with(port, bytes),
      lastOf = (d: Due): number => (orderOf(d) === undefined ? 0 : (this.#last.get(orderAt(d)) ?? 0));
    const due = all.find(d => d.entry.number > lastOf(d)) ?? all[0];
    if (due === undefined) return undefined;
    const last = lastOf(due);
    if (due.entry.number < last)
      this.#problems.push(
        `${portName(port)}: frame ${due.entry.number} left behind frame ${last} of its flow, which came later`,
      );
    this.#last.set(orderAt(due), Math.max(due.entry.number, last));
    return due;
  }
  /** None is due with these bytes: says so, and gives the one that is meant, if that can be told. */
  #meant(port: number, bytes: Uint8Array): Due | undefined {
    const at = portName(port),
      elsewhere = [...this.#at.keys()].flatMap(p => this.#with(p, bytes))[0],
      before = this.#gone.get(port)?.get(keyOf(bytes));
    if (elsewhere !== undefined) {
      this.#problems.push(
        `${at}: frame ${elsewhere.entry.number} left here; it must leave by ${portName(elsewhere.exit.port)}`,
      );
      return elsewhere;
    }
    if (before !== undefined) {
      this.#problems.push(`${at}: frame ${before} left a second time`);
      return undefined;
    }
    const pending = [...(this.#at.get(port)?.values() ?? [])].flat().filter(d => this.#possible(d)),
      likest = pending.map(due => ({ due, like: likeness(due.exit.bytes, bytes) })),
      best = likest.reduce((b, d) => (d.like > b.like ? d : b), { due: undefined as Due | undefined, like: 0 });
    if (best.due === undefined || best.like < alike) {
      this.#problems.push(`${at}: a frame of ${bytes.length} bytes left, and none like it is due`);
      return undefined;
    }
    this.#problems.push(`${at}: frame ${best.due.entry.number} ${difference(best.due.exit.bytes, bytes)}`);
    return best.due;
  }
}
