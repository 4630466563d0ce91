/** What a switch holds of its hosts' frames, and the pauses that it sends them (IEEE 802.1Qbb). */
import type { SimulatedTime } from "../../../../sim/index.ts";
import { pfcClasses, pfcFrame, pfcQuantumBits } from "../../../supernic/wire/index.ts";

/** Bytes of a host in a class from which on it is paused, and down to which it stays so. */
export const pauseFrom = 64 * 1024,
  resumeAt = 32 * 1024,
  /** Bytes of a port that a switch holds at most: what a host sends that does not hear is dropped there. */
  mostHeld = 256 * 1024;
const mostQuanta = 0xffff,
  /** As whom the switch sends a pause. */
  own = 0x02_5c_ff_ff_ff_ffn;

/** Frames that came in at one port, and wait in the switch for a port that pauses. */
export class Held {
  readonly #time: SimulatedTime;
  readonly #send: (pause: Uint8Array) => number;
  readonly #byClass = Array.from({ length: pfcClasses }, () => 0);
  #bytes = 0;
  #classes = 0;
  #repeat: { cancel(): void } | undefined;

  /** @param send a pause to the host; its line's rate in Gbit/s, or 0 where there is no host to be told */
  constructor(time: SimulatedTime, send: (pause: Uint8Array) => number) {
    this.#time = time;
    this.#send = send;
  }
  get bytes(): number {
    return this.#bytes;
  }
  /** Bits of the classes that are paused. */
  get classes(): number {
    return this.#classes;
  }
  /** A frame that may have these classes waits. @returns false: there is no room, so it is dropped */
  add(bytes: number, classes: number): boolean {
    if (this.#bytes + bytes > mostHeld) return false;
    this.#change(bytes, classes);
    return true;
  }
  /** It has gone. */
  remove(bytes: number, classes: number): void {
    this.#change(-bytes, classes);
  }

  #change(bytes: number, classes: number): void {
    this.#bytes += bytes;
    let paused = this.#classes;
    for (let k = 0; k < pfcClasses; k++) {
      if (((classes >> k) & 1) === 0) continue;
      const held = (this.#byClass[k] ?? 0) + bytes;
      this.#byClass[k] = held;
      if (held > pauseFrom) paused |= 1 << k;
      if (held <= resumeAt) paused &= ~(1 << k);
    }
    if (paused !== this.#classes) this.#say(paused);
  }
  #say(paused: number): void {
    const times: Record<number, number> = {};
    for (let k = 0; k < pfcClasses; k++)
      if ((((paused | this.#classes) >> k) & 1) === 1) times[k] = (paused >> k) & 1 ? mostQuanta : 0;
    this.#classes = paused;
    this.#repeat?.cancel();
    this.#repeat = undefined;
    const gbps = this.#send(pfcFrame(own, times));
    if (paused === 0 || gbps === 0) return;
    // A pause has a time, and one can be lost: it is said again when half of it is over.
    const half = (mostQuanta * pfcQuantumBits) / gbps / 2;
    this.#repeat = this.#time.after(half, () => this.#say(this.#classes));
  }
}
