import { ProtocolError } from "../errors.ts";
import { type Burst, burstOf, type BurstState, OKAY } from "./axi-burst.ts";
import type { AxiPorts } from "./axi-ports.ts";
import { type AxiShared, readAddress } from "./axi-shared.ts";
import { never, type Pause, pauseState } from "./pause.ts";

const MOST_BEATS = 256;
/**
 * Cycles for which half of a write may stand alone before a memory that wants the other half too: less than a bench
 * takes for a hang, more than any source of data needs.
 */
const PATIENCE = 5000;

interface WriteState {
  readonly addresses: readonly BurstState[];
  readonly data: readonly BurstState[];
  readonly queue: readonly BurstState[];
  readonly filling: BurstState | undefined;
  readonly answer: BurstState | undefined;
  readonly stands: { readonly address: boolean; readonly beat: boolean };
  readonly alone: number;
  readonly counts: { readonly writeBursts: number; readonly writeBeats: number };
  readonly pauses: readonly (readonly number[])[];
}
const maybe = (s: BurstState | undefined): Burst | undefined => (s === undefined ? undefined : burstOf(s));

/** AW, W and B of an AXI4 memory. Data may come before its address; addresses and data bursts pair up in order. */
export class AxiWriteChannel {
  readonly counts = { writeBursts: 0, writeBeats: 0 };
  readonly #shared: AxiShared;
  readonly #aw: AxiPorts["aw"];
  readonly #w: AxiPorts["w"];
  readonly #b: AxiPorts["b"];
  readonly #latency: number;
  readonly #pauseAw: Pause;
  readonly #pauseW: Pause;
  readonly #pauseB: Pause;
  /** Addresses whose data is not complete, and complete data whose address has not come. */
  readonly #addresses: Burst[] = [];
  readonly #data: Burst[] = [];
  #filling: Burst | undefined;
  /** Complete writes on their way to an answer. */
  readonly #queue: Burst[] = [];
  #answer: Burst | undefined;
  /** An address, or a beat, that stood at the last edge and was not taken: it stands at the next one. */
  #stands = { address: false, beat: false };
  /** Cycles since half of a write stands alone. */
  #alone = 0;

  constructor(
    shared: AxiShared,
    ports: AxiPorts,
    latency: number,
    pause: { readonly aw?: Pause; readonly w?: Pause; readonly b?: Pause },
  ) {
    this.#shared = shared;
    this.#aw = ports.aw;
    this.#w = ports.w;
    this.#b = ports.b;
    this.#latency = latency;
    this.#pauseAw = pause.aw ?? never;
    this.#pauseW = pause.w ?? never;
    this.#pauseB = pause.b ?? never;
  }

  get idle(): boolean {
    return this.#addresses.length + this.#data.length + this.#queue.length === 0 && !this.#filling && !this.#answer;
  }

  #pauses(): NonNullable<Pause["state"]>[] {
    return [
      pauseState(this.#pauseAw, this.#aw.valid.name),
      pauseState(this.#pauseW, this.#w.valid.name),
      pauseState(this.#pauseB, this.#b.valid.name),
    ];
  }
  save(): unknown {
    const state: WriteState = {
      addresses: this.#addresses.map(b => b.save()),
      data: this.#data.map(b => b.save()),
      queue: this.#queue.map(b => b.save()),
      filling: this.#filling?.save(),
      answer: this.#answer?.save(),
      stands: this.#stands,
      alone: this.#alone,
      counts: { ...this.counts },
      pauses: this.#pauses().map(p => p.get()),
    };
    return state;
  }
  restore(state: unknown): void {
    const s = state as WriteState;
    for (const [list, from] of [
      [this.#addresses, s.addresses],
      [this.#data, s.data],
      [this.#queue, s.queue],
    ] as const)
      list.splice(0, list.length, ...from.map(burstOf));
    this.#filling = maybe(s.filling);
    this.#answer = maybe(s.answer);
    this.#stands = s.stands;
    this.#alone = s.alone;
    Object.assign(this.counts, s.counts);
    this.#pauses().forEach((p, i) => p.set(s.pauses[i] ?? []));
  }

  sample(cycle: number): void {
    this.#stands = {
      address: this.#aw.valid.value !== 0 && this.#aw.ready.value === 0,
      beat: this.#w.valid.value !== 0 && this.#w.ready.value === 0,
    };
    this.#checkAlone(cycle);
    if (this.#aw.ready.value !== 0 && this.#aw.valid.value !== 0) {
      const b = this.#shared.take();
      readAddress(b, this.#aw.payload, "aw", this.#shared.busBytes, cycle);
      this.#addresses.push(b);
      this.counts.writeBursts++;
    }
    if (this.#w.ready.value !== 0 && this.#w.valid.value !== 0) this.#beat(cycle);
    if (this.#addresses.length > 0 && this.#data.length > 0) this.#pair(cycle);
    if (this.#answer && this.#b.ready.value !== 0) {
      this.#shared.give(this.#answer);
      this.#answer = undefined;
    }
  }

  drive(cycle: number): void {
    const waiting = this.#addresses.length + this.#queue.length,
      order = this.#order();
    const address = !this.#pauseAw() && waiting < this.#shared.depth && order.address,
      beat = !this.#pauseW() && this.#data.length < this.#shared.depth && order.beat;
    // Together means that a pause of one is a pause of both.
    const both = address && beat;
    this.#aw.ready.value = (order.together ? both : address) ? 1 : 0;
    this.#w.ready.value = (order.together ? both : beat) ? 1 : 0;
    const held = this.#pauseB();
    if (this.#answer) return;
    const place = held ? -1 : this.#shared.pick(this.#queue, cycle + 1);
    this.#answer = place < 0 ? undefined : this.#queue.splice(place, 1)[0];
    this.#b.valid.value = this.#answer ? 1 : 0;
    if (!this.#answer) return;
    if (this.#answer.response === OKAY) this.#store(this.#answer);
    this.#b.payload.id.value = this.#answer.id;
    this.#b.payload.resp.value = this.#answer.response;
  }

  /** What may be taken next, and whether only both at once. */
  #order(): { readonly address: boolean; readonly beat: boolean; readonly together: boolean } {
    switch (this.#shared.accepts) {
      case "any":
        return { address: true, beat: true, together: false };
      case "address first":
        return { address: true, beat: this.#addresses.length > 0, together: false };
      case "data first":
        return { address: this.#data.length > 0, beat: this.#data.length === 0, together: false };
      case "together": {
        // Further beats of a burst whose address has come need no other.
        const further = this.#addresses.length > 0;
        return further
          ? { address: false, beat: true, together: false }
          : { address: this.#stands.address, beat: this.#stands.beat, together: true };
      }
    }
  }

  /** Neither half of a write waits for the other to be taken (AXI4, A3.3.1): found where this memory wants both. */
  #checkAlone(cycle: number): void {
    const { address, beat } = this.#stands,
      { accepts } = this.#shared;
    const dataMissing = address && !beat && !this.#filling && this.#data.length + this.#addresses.length === 0,
      addressMissing = beat && !address && this.#addresses.length === 0;
    const missing =
      dataMissing && (accepts === "data first" || accepts === "together")
        ? "aw: its data are not offered"
        : addressMissing && (accepts === "address first" || accepts === "together")
          ? "w: its address is not offered"
          : undefined;
    this.#alone = missing === undefined ? 0 : this.#alone + 1;
    if (missing === undefined || this.#alone < PATIENCE) return;
    throw new ProtocolError(
      `${missing} for ${PATIENCE} cycles, up to cycle ${cycle}: a master waits for neither to be taken (AXI4, A3.3.1)`,
    );
  }

  /** One beat of write data. */
  #beat(cycle: number): void {
    const b = (this.#filling ??= this.#shared.take());
    const bus = this.#shared.busBytes,
      at = b.done * bus;
    b.reserve(at + bus);
    b.data.set(this.#w.payload.data.bytes, at);
    b.strobes.set(this.#w.payload.strb.bytes, at / 8);
    b.done++;
    this.counts.writeBeats++;
    const last = this.#w.payload.last.value !== 0;
    // The address, if it has come already, says where last belongs; otherwise no burst is longer than 256 beats.
    const address = this.#data.length === 0 ? this.#addresses[0] : undefined;
    const beats = address?.beats ?? (last ? b.done : MOST_BEATS);
    if (last !== (b.done === beats)) {
      throw new ProtocolError(`w: last is ${last ? 1 : 0} on beat ${b.done} of a burst of ${beats} at cycle ${cycle}`);
    }
    if (!last) return;
    b.arrived = cycle;
    this.#data.push(b);
    this.#filling = undefined;
  }

  /** Joins the first address with the first complete data. */
  #pair(cycle: number): void {
    const address = this.#addresses.shift() as Burst,
      b = this.#data.shift() as Burst;
    if (address.beats !== b.done) {
      throw new ProtocolError(
        `w: a burst of ${b.done} beats came for an address of ${address.beats} beats at cycle ${cycle}`,
      );
    }
    b.id = address.id;
    b.address = address.address;
    b.beats = address.beats;
    b.size = address.size;
    b.kind = address.kind;
    b.due = Math.max(address.arrived, b.arrived) + this.#latency + this.#shared.jitter();
    b.response = this.#shared.response(b);
    this.#shared.give(address);
    this.#checkStrobes(b, cycle);
    this.#queue.push(b);
  }

  /** A strobe may only be set on the lanes that its beat covers. */
  #checkStrobes(b: Burst, cycle: number): void {
    const bus = this.#shared.busBytes;
    if (b.size === bus && b.address % bus === 0) return;
    for (let beat = 0; beat < b.beats; beat++) {
      const at = b.addressOf(beat),
        low = at % bus,
        high = ((Math.floor(at / b.size) * b.size) % bus) + b.size;
      for (let lane = 0; lane < bus; lane++) {
        if ((lane < low || lane >= high) && strobe(b, beat * bus + lane)) {
          throw new ProtocolError(
            `w: strobe ${lane} is set on beat ${beat + 1}, which covers lanes ${low} to ${high - 1} (burst at 0x${b.address.toString(
              16,
            )}, cycle ${cycle})`,
          );
        }
      }
    }
  }

  /** Writes the strobed bytes to memory. */
  #store(b: Burst): void {
    const bus = this.#shared.busBytes;
    for (let beat = 0; beat < b.beats; beat++) {
      const base = Math.floor(b.addressOf(beat) / bus) * bus,
        page = this.#shared.memory.page(base).bytes,
        at = base % 4096;
      const from = beat * bus;
      for (let group = 0; group < bus; group += 8) {
        const strobes = b.strobes[(from + group) >> 3] as number;
        if (strobes === 0) continue;
        for (let i = group; i < group + 8; i++)
          if (((strobes >> (i & 7)) & 1) !== 0) page[at + i] = b.data[from + i] as number;
      }
    }
  }
}

function strobe(b: Burst, lane: number): boolean {
  return (((b.strobes[lane >> 3] as number) >> (lane & 7)) & 1) !== 0;
}
