import { ProtocolError } from "../errors.ts";

export const FIXED = 0,
  INCR = 1,
  WRAP = 2;
export const OKAY = 0,
  SLVERR = 2,
  DECERR = 3;

/** A burst's part of a checkpoint: its fields. */
export type BurstState = Readonly<
  Pick<
    Burst,
    "id" | "address" | "beats" | "size" | "kind" | "due" | "arrived" | "done" | "response" | "data" | "strobes"
  >
>;
export const burstOf = (state: BurstState): Burst => Object.assign(new Burst(), state);

/** One address and, for a write, its data. Reused from a pool: a run makes few of them. */
export class Burst {
  id = 0;
  address = 0;
  beats = 0;
  /** Bytes of a beat. */
  size = 0;
  kind = INCR;
  /** Edge at which its first response beat can be seen. */
  due = 0;
  /** Edge of the address handshake, then of the last data beat. */
  arrived = 0;
  /** Beats received or sent so far. */
  done = 0;
  response = OKAY;
  /** Write data and strobes, bus width per beat. */
  data = new Uint8Array(0);
  strobes = new Uint8Array(0);

  /** All of it, for a checkpoint. */
  save(): BurstState {
    const { id, address, beats, size, kind, due, arrived, done, response, data, strobes } = this;
    return {
      ...{ id, address, beats, size, kind, due, arrived, done, response },
      data: data.slice(),
      strobes: strobes.slice(),
    };
  }

  /** Room for `bytes` of data with their strobes. */
  reserve(bytes: number): void {
    if (this.data.length >= bytes) return;
    const data = new Uint8Array(Math.max(bytes, 2 * this.data.length)),
      strobes = new Uint8Array(data.length / 8);
    data.set(this.data);
    strobes.set(this.strobes);
    this.data = data;
    this.strobes = strobes;
  }

  /** Byte address of a beat: the first as given, the others aligned to the beat size (AXI4, A3.4.1). */
  addressOf(beat: number): number {
    if (beat === 0 || this.kind === FIXED) return this.address;
    const aligned = Math.floor(this.address / this.size) * this.size;
    const at = aligned + beat * this.size;
    if (this.kind === INCR) return at;
    const total = this.size * this.beats,
      low = Math.floor(this.address / total) * total;
    return low + ((at - low) % total);
  }

  /** Lowest byte address that the burst touches. */
  get low(): number {
    const total = this.size * this.beats;
    return this.kind === WRAP ? Math.floor(this.address / total) * total : this.address;
  }
  /** The first byte address above it. */
  get high(): number {
    if (this.kind === WRAP) return this.low + this.size * this.beats;
    return Math.floor(this.address / this.size) * this.size + this.size * (this.kind === FIXED ? 1 : this.beats);
  }

  /** The rules for addresses (AXI4, A3.4.1). `what` names the channel, for messages. */
  check(what: string, busBytes: number, cycle: number): void {
    if (this.size > busBytes) throw this.#broken(what, `a beat is wider than the bus of ${busBytes} bytes`, cycle);
    if (this.kind === WRAP) {
      if (![2, 4, 8, 16].includes(this.beats)) throw this.#broken(what, "a WRAP burst has 2, 4, 8 or 16 beats", cycle);
      if (this.address % this.size !== 0) throw this.#broken(what, "a WRAP burst starts aligned to its beat", cycle);
    } else if (this.kind === FIXED) {
      if (this.beats > 16) throw this.#broken(what, "a FIXED burst has at most 16 beats", cycle);
    } else if (this.kind !== INCR) throw this.#broken(what, "burst type 3 is reserved", cycle);
    const low = this.low,
      high = this.high;
    if (Math.floor(low / 4096) !== Math.floor((high - 1) / 4096))
      throw this.#broken(what, "the burst crosses a 4 KB boundary", cycle);
  }
  #broken(what: string, why: string, cycle: number): ProtocolError {
    return new ProtocolError(
      `${what}: ${why} at cycle ${cycle} (addr 0x${this.address.toString(16)}, ${this.beats} beats of ${this.size} bytes, burst ${this.kind})`,
    );
  }
}
