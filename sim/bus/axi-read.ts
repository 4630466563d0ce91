import { type Burst, burstOf, type BurstState, OKAY } from "./axi-burst.ts";
import type { AxiPorts } from "./axi-ports.ts";
import { type AxiShared, readAddress } from "./axi-shared.ts";
import { never, type Pause, pauseState } from "./pause.ts";

interface ReadState {
  readonly queue: readonly BurstState[];
  /** Place of the current one; -1: none. */
  readonly current: number;
  readonly offered: boolean;
  readonly counts: { readonly readBursts: number; readonly readBeats: number };
  readonly pauses: readonly (readonly number[])[];
}

/** AR and R of an AXI4 memory. */
export class AxiReadChannel {
  readonly counts = { readBursts: 0, readBeats: 0 };
  readonly #shared: AxiShared;
  readonly #ar: AxiPorts["ar"];
  readonly #r: AxiPorts["r"];
  readonly #latency: number;
  readonly #pauseAr: Pause;
  readonly #pauseR: Pause;
  /** Bursts not wholly answered, oldest first. */
  readonly #queue: Burst[] = [];
  /** The one whose beat is offered, or comes next. */
  #current: Burst | undefined;
  #offered = false;

  constructor(shared: AxiShared, ports: AxiPorts, latency: number, pause: { readonly ar?: Pause; readonly r?: Pause }) {
    this.#shared = shared;
    this.#ar = ports.ar;
    this.#r = ports.r;
    this.#latency = latency;
    this.#pauseAr = pause.ar ?? never;
    this.#pauseR = pause.r ?? never;
  }

  get idle(): boolean {
    return this.#queue.length === 0;
  }

  #pauses(): NonNullable<Pause["state"]>[] {
    return [pauseState(this.#pauseAr, this.#ar.valid.name), pauseState(this.#pauseR, this.#r.valid.name)];
  }
  save(): unknown {
    const state: ReadState = {
      queue: this.#queue.map(b => b.save()),
      current: this.#current === undefined ? -1 : this.#queue.indexOf(this.#current),
      offered: this.#offered,
      counts: { ...this.counts },
      pauses: this.#pauses().map(p => p.get()),
    };
    return state;
  }
  restore(state: unknown): void {
    const s = state as ReadState;
    this.#queue.splice(0, this.#queue.length, ...s.queue.map(burstOf));
    this.#current = this.#queue[s.current];
    this.#offered = s.offered;
    Object.assign(this.counts, s.counts);
    this.#pauses().forEach((p, i) => p.set(s.pauses[i] ?? []));
  }

  sample(cycle: number): void {
    if (this.#ar.ready.value !== 0 && this.#ar.valid.value !== 0) {
      const b = this.#shared.take();
      readAddress(b, this.#ar.payload, "ar", this.#shared.busBytes, cycle);
      b.due = cycle + this.#latency + this.#shared.jitter();
      this.#queue.push(b);
      this.counts.readBursts++;
    }
    if (!this.#offered || this.#r.ready.value === 0 || !this.#current) return;
    this.#offered = false;
    this.counts.readBeats++;
    if (++this.#current.done < this.#current.beats) {
      if (this.#shared.interleave) this.#current = undefined;
      return;
    }
    this.#queue.splice(this.#queue.indexOf(this.#current), 1);
    this.#shared.give(this.#current);
    this.#current = undefined;
  }

  drive(cycle: number): void {
    const paused = this.#pauseAr();
    this.#ar.ready.value = !paused && this.#queue.length < this.#shared.depth ? 1 : 0;
    const held = this.#pauseR();
    if (this.#offered) return;
    // A value driven now is seen at the coming edge, `cycle + 1`.
    this.#current ??= this.#queue[this.#shared.pick(this.#queue, cycle + 1)];
    this.#offered = this.#current !== undefined && !held;
    this.#r.valid.value = this.#offered ? 1 : 0;
    if (this.#offered && this.#current) this.#offer(this.#current);
  }

  #offer(b: Burst): void {
    const p = this.#r.payload,
      bus = this.#shared.busBytes,
      data = p.data.bytes;
    b.response = this.#shared.beatResponse(b);
    if (b.response === OKAY) {
      const base = Math.floor(b.addressOf(b.done) / bus) * bus,
        page = this.#shared.memory.page(base).bytes,
        at = base % 4096;
      for (let i = 0; i < bus; i++) data[i] = page[at + i] as number;
    } else data.fill(0);
    p.id.value = b.id;
    p.resp.value = b.response;
    p.last.value = b.done === b.beats - 1 ? 1 : 0;
  }
}
