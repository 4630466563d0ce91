/** Class queues of all inlets, as a port has them: heads, takes, and a taken frame's beats. */
import { queueClasses } from "../../../../designs/supernic/rtl/index.ts";
import { type Bench, never, type Pause, poke, StreamSource } from "../../../../sim/index.ts";

/** A frame that waits at an inlet. */
export interface Waiting {
  readonly inlet: number;
  readonly class: number;
  /** Without shims and tag. */
  readonly bytes: Uint8Array;
  readonly facts: Facts;
  /** When it was first of its queue, and when it was taken. */
  first: number | undefined;
  taken: number | undefined;
}
export interface Facts {
  readonly outcome: "ports" | "core" | "software" | "redirect" | "unwrap" | "onward";
  readonly ports: number;
  readonly peer: number;
  readonly uid: number;
  readonly dag: number;
  readonly user: number;
  readonly unordered: number;
  readonly noL4: number;
  readonly flowHash: number;
  readonly tagged: number;
  readonly tag: number;
  readonly shimmed: number;
  readonly ttl: number;
}
interface Io {
  readonly heads: unknown;
  readonly takes: readonly {
    readonly valid: { value: unknown };
    readonly ready: { value: unknown };
    readonly payload: { value: unknown };
  }[];
  readonly frames: readonly unknown[];
}
export const number = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
/** Its beats of 64 bytes, as numbers; bytes behind the end are 0. */
export const beatsOf = (bytes: Uint8Array): bigint[] =>
  Array.from({ length: Math.ceil(bytes.length / 64) }, (_, i) => number(bytes.slice(64 * i, 64 * i + 64)));

export class Inlets {
  readonly #b: Bench<never>;
  readonly #io: Io;
  readonly #queues: Waiting[][][];
  readonly #frames;
  readonly #pause: Pause;
  #changed = new Set<string>();
  #resetting = false;
  /** What is told of each frame that is taken. */
  onTake: (frame: Waiting) => void = () => undefined;
  /** Frames of an inlet that may be taken before all their beats have gone. */
  ahead = 2;

  constructor(b: unknown, io: unknown, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.#b = b as Bench<never>;
    this.#io = io as Io;
    this.#pause = o.to ?? never;
    this.#queues = this.#io.takes.map(() => Array.from({ length: queueClasses }, () => []));
    this.#frames = this.#io.frames.map(f => new StreamSource(this.#b.sim, f as never, { pause: o.from ?? never }));
    this.#b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
    this.#queues.forEach((row, i) => row.forEach((_, k) => this.#changed.add(`${i}.${k}`)));
  }
  put(frame: Omit<Waiting, "first" | "taken">): Waiting {
    const waiting: Waiting = { ...frame, first: undefined, taken: undefined };
    this.#queues[frame.inlet]?.[frame.class]?.push(waiting);
    this.#changed.add(`${frame.inlet}.${frame.class}`);
    return waiting;
  }
  /** Frames that wait, and beats that have not been taken. */
  get waiting(): number {
    return this.#queues.flat().reduce((n, q) => n + q.length, 0) + this.#frames.reduce((n, f) => n + f.pending, 0);
  }
  waitingAt(inlet: number, of: number): number {
    return this.#queues[inlet]?.[of]?.length ?? 0;
  }
  #sample(): void {
    if (this.#resetting) return;
    this.#io.takes.forEach((take, i) => {
      if (Number(take.valid.value) === 0 || Number(take.ready.value) === 0) return;
      const k = Number(take.payload.value),
        frame = this.#queues[i]?.[k]?.shift();
      if (!frame) throw new Error(`inlet ${i}: class ${k} is taken, and nobody waits there`);
      frame.taken = this.#b.cycle;
      this.#changed.add(`${i}.${k}`);
      const beats = beatsOf(frame.bytes);
      beats.forEach((data, j) =>
        (this.#frames[i] as StreamSource<never>).send({ data, last: j === beats.length - 1 ? 1 : 0 } as never),
      );
      this.onTake(frame);
    });
  }
  #drive(): void {
    this.#io.takes.forEach((take, i) => {
      const busy = (this.#frames[i]?.pending ?? 0) >= this.ahead;
      take.ready.value = busy || this.#pause() ? 0 : 1;
    });
    for (const at of this.#changed) {
      const [i, k] = at.split(".").map(Number) as [number, number],
        head = this.#queues[i]?.[k]?.[0];
      const port = (this.#io.heads as Record<number, Record<number, unknown>>)[i]?.[k] as never;
      if (head) poke(port, { valid: 1, facts: { ...head.facts, length: head.bytes.length } } as never);
      else (port as { valid: { value: number } }).valid.value = 0;
      if (head) head.first = this.#b.cycle + 1;
    }
    this.#changed.clear();
  }
  /** In a reset: nobody waits any more. */
  forget(): void {
    this.#queues.forEach((row, i) =>
      row.forEach((q, k) => {
        q.splice(0);
        this.#changed.add(`${i}.${k}`);
      }),
    );
    for (const f of this.#frames) f.forget();
    for (const take of this.#io.takes) take.ready.value = 0;
    this.#drive();
  }
  during(reset: () => void): void {
    this.#resetting = true;
    this.forget();
    reset();
    this.#resetting = false;
  }
}
