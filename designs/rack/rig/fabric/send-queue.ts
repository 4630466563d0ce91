/** What an endpoint or switch sends, until the line takes it: priority flow control, the sender's side (802.1Qbb). */
import type { SimulatedTime } from "../../../../sim/index.ts";
import { decodeField, ethernetHeader } from "../../../shared/wire/index.ts";
import { macControlAddress, pfcClasses, pfcQuantumBits, readPfc } from "../../../supernic/wire/index.ts";
import type { Pace } from "./jack.ts";

/** Frames that may have the same classes, in their order. */
interface Waiting {
  readonly classes: number;
  readonly frames: Queued[];
  /** Which service the last one was: who was served longest ago is next, where lists take turns. */
  served: number;
}
interface Queued {
  readonly number: number;
  readonly frame: Uint8Array;
  readonly gone: (() => void) | undefined;
}
/** Nanoseconds of frames that the line has ahead: no cycle of the clock leaves it idle. A pause cannot reach these. */
const ahead = 40;
const bitsOf = (classes: number): readonly number[] =>
  Array.from({ length: pfcClasses }, (_, k) => k).filter(k => ((classes >> k) & 1) === 1);

/** What takes frames: a jack, and how fast its line is. */
export interface Outlet {
  readonly send: (frame: Uint8Array) => void;
  readonly gbps: Pace["gbps"];
  /** When the line has sent all that it has, ns. */
  readonly freeAt: number;
}
export interface SendQueueOptions {
  /** It obeys pauses. */
  readonly obeys: boolean;
  /** Frames of other classes take turns, as a switch has them; else all go in the order in which they came. */
  readonly turns?: boolean;
}

/**
 * Frames go on the line one behind the other, at its rate. One waits while a class is paused that it may have; those
 * of other classes pass it. Full: never, as a host keeps what it has not sent, and a switch bounds what it takes.
 */
export class SendQueue {
  readonly #jack: Outlet;
  readonly #time: SimulatedTime;
  readonly #classesOf: (frame: Uint8Array) => number;
  readonly #o: SendQueueOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** By class, the time when its pause ends, ns. */
  readonly #paused = Array.from({ length: pfcClasses }, () => 0);
  #number = 0;
  #services = 0;
  #count = 0;
  #look: { readonly at: number; cancel(): void } | undefined;

  /** @param classesOf bits of the classes that a frame may have at the neighbour */
  constructor(jack: Outlet, time: SimulatedTime, classesOf: (frame: Uint8Array) => number, o: SendQueueOptions) {
    this.#jack = jack;
    this.#time = time;
    this.#classesOf = classesOf;
    this.#o = o;
  }
  /** Frames that the line has not got yet. */
  get waiting(): number {
    return this.#count;
  }
  /** @param gone told when the line gets it */
  send(frame: Uint8Array, gone?: () => void): void {
    const classes = this.#classesOf(frame),
      list = this.#waiting.get(classes) ?? { classes, frames: [], served: 0 };
    this.#waiting.set(classes, list);
    list.frames.push({ number: this.#number++, frame, gone });
    this.#count++;
    this.#go();
  }
  /** The neighbour's word. @param quanta by class, from now; 0: it may send */
  pause(quanta: Readonly<Record<number, number>>): void {
    if (!this.#o.obeys) return;
    const now = this.#time.now();
    for (const [k, n] of Object.entries(quanta)) this.#paused[Number(k)] = now + (n * pfcQuantumBits) / this.#jack.gbps;
    this.#go();
  }

  #endOf(classes: number): number {
    return Math.max(...bitsOf(classes).map(k => this.#paused[k] ?? 0));
  }
  #go(): void {
    while (this.#count > 0) {
      const now = this.#time.now(),
        waiting = [...this.#waiting.values()].filter(w => w.frames.length > 0),
        [first] = waiting.filter(w => this.#endOf(w.classes) <= now).sort((a, b) => this.#before(a, b));
      const resumes = Math.min(...waiting.map(w => this.#endOf(w.classes))),
        due = first === undefined ? resumes : this.#jack.freeAt - ahead;
      if (first === undefined || due > now) {
        this.#lookAt(due);
        return;
      }
      const next = first.frames.shift();
      first.served = ++this.#services;
      this.#count--;
      if (next === undefined) continue;
      this.#jack.send(next.frame);
      next.gone?.();
    }
  }
  #before(a: Waiting, b: Waiting): number {
    return (this.#o.turns === true ? a.served - b.served : 0) || numberOf(a) - numberOf(b);
  }
  #lookAt(at: number): void {
    if (this.#look !== undefined && this.#look.at <= at) return;
    this.#look?.cancel();
    const due = this.#time.after(at - this.#time.now(), () => {
      this.#look = undefined;
      this.#go();
    });
    this.#look = { at, cancel: () => due.cancel() };
  }
}
/** Times by class of a frame that pauses who gets it, in quanta; undefined: it is none that we know. */
export function pausesOf(frame: Uint8Array): Readonly<Record<number, number>> | undefined {
  if (decodeField(ethernetHeader, "dst", frame, 0) !== macControlAddress) return undefined;
  try {
    return readPfc(frame);
  } catch {
    return undefined;
  }
}
const numberOf = ({ frames }: Waiting): number => frames[0]?.number ?? Infinity;
