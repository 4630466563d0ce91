import { HangError, ProtocolError, SimulationError } from "../errors.ts";
import type { Agent, Simulation } from "../simulation.ts";

/** One stream being watched, as places in the model's memory. */
interface Watched {
  readonly name: string;
  /** Side that drives `valid`. */
  readonly byDesign: boolean;
  readonly valid: number;
  readonly ready: number;
  /** Lanes of the payload, and what stood there when it stalled. */
  readonly payload: readonly { readonly field: string; readonly word: number }[];
  readonly held: Uint32Array;
  stalled: boolean;
  stalledSince: number;
  validSince: number;
  handshakes: number;
  lastHandshake: number;
}

/**
 * Watches every stream of a design each cycle. Protocol: a valid that is not taken stays, with the same payload, until
 * it is (AXI). Progress: the stalled streams, the start of each stall, and the side that is not ready.
 */
export class StreamWatch implements Agent {
  readonly #sim: Simulation;
  readonly #streams: Watched[];
  readonly #resets: readonly number[];
  #lastHandshake: number;
  readonly hangCycles: number | undefined;

  /**
   * @param hangCycles fail when something is valid and no stream has had a handshake for so many
   * cycles; undefined: never.
   */
  constructor(sim: Simulation, domain: string, hangCycles: number | undefined) {
    this.#sim = sim;
    this.hangCycles = hangCycles;
    this.#lastHandshake = sim.domain(domain).cycle;
    const slot = (name: string): { word: number; words: number } => {
      const s = sim.model.slots.get(name);
      if (!s) throw new SimulationError(`the design names ${name} as part of a stream but has no such port`);
      return s;
    };
    const domainOf = (name: string): string | undefined => sim.model.slots.get(name)?.port.domain;
    this.#streams = sim.design.emitted.streams
      .filter(s => domainOf(s.valid) === domain)
      .map(s => {
        const payload = s.payload.flatMap(field => {
          const { word, words } = slot(field);
          return Array.from({ length: words }, (_, i) => ({ field, word: word + i }));
        });
        return {
          name: s.name,
          byDesign: s.dir === "out",
          valid: slot(s.valid).word,
          ready: slot(s.ready).word,
          payload,
          held: new Uint32Array(payload.length),
          stalled: false,
          stalledSince: 0,
          validSince: 0,
          handshakes: 0,
          lastHandshake: -1,
        };
      });
    this.#resets = [...sim.model.slots.values()]
      .filter(s => s.port.role === "reset" && s.port.domain === domain)
      .map(s => s.word);
  }

  sample(cycle: number): void {
    const words = this.#sim.model.words;
    for (let i = 0; i < this.#resets.length; i++) {
      if (words[this.#resets[i] as number] !== 0) {
        this.#forget(cycle);
        return;
      }
    }
    let waiting = false;
    for (let i = 0; i < this.#streams.length; i++) {
      const s = this.#streams[i] as Watched;
      const valid = words[s.valid] !== 0;
      if (s.stalled) this.#checkHeld(s, valid, words, cycle);
      if (!valid) continue;
      if (words[s.ready] !== 0) {
        s.stalled = false;
        s.handshakes++;
        s.lastHandshake = this.#lastHandshake = cycle;
        continue;
      }
      waiting = true;
      if (s.stalled) continue;
      s.stalled = true;
      s.stalledSince = cycle;
      for (let k = 0; k < s.held.length; k++) s.held[k] = words[(s.payload[k] as { word: number }).word] as number;
    }
    if (waiting && this.hangCycles !== undefined && cycle - this.#lastHandshake > this.hangCycles) {
      throw new HangError(`no stream has moved for ${cycle - this.#lastHandshake} cycles:\n${this.describe()}`);
    }
  }

  save(): unknown {
    return { last: this.#lastHandshake, streams: this.#streams.map(s => ({ ...s, held: s.held.slice() })) };
  }
  restore(state: unknown): void {
    const from = state as { readonly last: number; readonly streams: readonly Watched[] };
    this.#lastHandshake = from.last;
    this.#streams.forEach((s, n) => {
      const f = from.streams[n];
      if (f === undefined) return;
      s.stalled = f.stalled;
      s.stalledSince = f.stalledSince;
      s.validSince = f.validSince;
      s.handshakes = f.handshakes;
      s.lastHandshake = f.lastHandshake;
      s.held.set(f.held);
    });
  }

  /** Handshakes of a stream so far. */
  handshakes(name: string): number {
    return this.#streams.find(s => s.name === name)?.handshakes ?? 0;
  }

  /** One line per stream: the start of its stall and the side that stalls it, or the start of its idleness. */
  describe(): string {
    if (this.#streams.length === 0) return "  (the design has no streams)";
    const words = this.#sim.model.words;
    return this.#streams
      .map(s => {
        const last =
          s.lastHandshake < 0
            ? "no handshake so far"
            : `${s.handshakes} handshakes, the last at cycle ${s.lastHandshake}`;
        if (!s.stalled) {
          const ready =
            words[s.ready] !== 0 ? `${s.byDesign ? "the bench" : "the design"} is ready` : "nobody is ready";
          return `  ${s.name}: idle, nothing valid from ${s.byDesign ? "the design" : "the bench"}, ${ready}; ${last}`;
        }
        const [from, to] = s.byDesign ? ["the design", "the bench"] : ["the bench", "the design"];
        return `  ${s.name}: stalled since cycle ${s.stalledSince}: ${from} offers, ${to} is not ready; ${last}`;
      })
      .join("\n");
  }

  #checkHeld(s: Watched, valid: boolean, words: Uint32Array, cycle: number): void {
    const who = s.byDesign ? "the design" : "the bench";
    if (!valid) {
      throw new ProtocolError(
        `${s.name}: ${who} dropped valid at cycle ${cycle} before it was taken (offered since cycle ${s.stalledSince})`,
      );
    }
    for (let k = 0; k < s.held.length; k++) {
      const { field, word } = s.payload[k] as { field: string; word: number };
      if (words[word] === s.held[k]) continue;
      throw new ProtocolError(
        `${s.name}: ${who} changed ${field} at cycle ${cycle} while it was stalled (offered since cycle ${s.stalledSince})`,
      );
    }
  }

  #forget(cycle: number): void {
    for (const s of this.#streams) s.stalled = false;
    this.#lastHandshake = cycle;
  }
}

const watches = new WeakMap<Simulation, Map<string, StreamWatch>>();

/**
 * The watch of a simulation's clock domain: made at the first call (every bus model calls it), one per domain. A bench
 * calls it first, with its patience.
 */
export function watchStreams(sim: Simulation, domain = sim.domain().name, hangCycles?: number): StreamWatch {
  const all = watches.get(sim) ?? new Map<string, StreamWatch>();
  watches.set(sim, all);
  let watch = all.get(domain);
  if (!watch) {
    all.set(domain, (watch = new StreamWatch(sim, domain, hangCycles)));
    sim.onEdge(watch, domain);
  }
  return watch;
}
