/** Writes the wave of a running model: what changed from edge to edge. */
import { SimulationError } from "../../../errors.ts";
import type { ClockSetting } from "../../backend.ts";
import type { TracedScope } from "../circuit/netlist.ts";
import type { Node } from "../circuit/node.ts";
import type { MemoryMap } from "../memory-map.ts";
import { laneOf, type TracedNetlist } from "./places.ts";
import { change, constantChange, HEAD, variable, vcdId } from "./vcd.ts";

/** Text that is to be kept; `close` once, at the end. */
export interface TextSink {
  write(text: string): void;
  close(): void;
  /** Characters at most that wait to be written. */
  readonly chunk?: number;
}

/** The variables of a circuit and the lanes to watch: the same for all models of it. */
export class WaveMap {
  /** Declarations. */
  readonly head: string;
  /** What never changes. */
  readonly constants: string;
  /** By the number of the clock port. */
  readonly clocks: readonly string[];
  /** Values in the order of their lanes: identifier, width, first lane. */
  readonly ids: readonly string[];
  readonly widths: Uint32Array;
  readonly firsts: Uint32Array;
  /** Lane by lane: where it is in the memory, and whose. */
  readonly lanes: Uint32Array;
  readonly owners: Uint32Array;

  constructor(t: TracedNetlist, map: MemoryMap, clocks: number) {
    let next = 0;
    const ids = new Map<Node, string>();
    const clockIds = Array.from({ length: clocks }, () => vcdId(next++));
    const idOf = (value: Node | { readonly clock: number }): string => {
      if ("clock" in value) return clockIds[value.clock] as string;
      let id = ids.get(value);
      if (id === undefined) ids.set(value, (id = vcdId(next++)));
      return id;
    };
    const scope = (s: TracedScope): string =>
      `$scope module ${s.name} $end\n${s.signals
        .map(x => variable(x.kind, "clock" in x.value ? 1 : x.value.width, idOf(x.value), x.name))
        .join("")}${s.below.map(scope).join("")}$upscope $end\n`;
    const body = t.net.traced === undefined ? "" : scope(t.net.traced);
    this.head = `${HEAD}$scope module TOP $end\n${body}$upscope $end\n$enddefinitions $end\n`;
    this.clocks = clockIds;
    this.constants = [...ids]
      .filter(([n]) => n.op === "const")
      .map(([n, id]) => constantChange(n.value, n.width, id))
      .join("");
    const values = [...ids]
      .flatMap(([node, id]) => {
        const first = laneOf(node, t, map);
        return first === undefined ? [] : [{ id, first, width: node.width, words: Math.ceil(node.width / 32) }];
      })
      .sort((a, b) => a.first - b.first);
    this.ids = values.map(v => v.id);
    this.widths = Uint32Array.from(values, v => v.width);
    this.firsts = Uint32Array.from(values, v => v.first);
    this.lanes = Uint32Array.from(values.flatMap(v => Array.from({ length: v.words }, (_, i) => v.first + i)));
    this.owners = Uint32Array.from(values.flatMap((v, n) => Array.from({ length: v.words }, () => n)));
  }
}

/** Characters that wait to be written. */
const CHUNK = 1 << 18;

/**
 * A model calls `sample` before each edge with what stands since the last one, and `rise` at the edge. What the bench
 * changes after an edge is shown at that edge. A clock falls half a period after it has risen.
 */
export class Recorder {
  readonly #map: WaveMap;
  readonly #memory: Uint32Array;
  readonly #clocks: readonly ClockSetting[];
  readonly #from: number;
  readonly #open: () => TextSink;
  readonly #last: Uint32Array;
  /** When each clock that is high falls, ps; infinite for those that are low. */
  readonly #falls: number[];
  #sink: TextSink | undefined;
  #text = "";
  #at = -1;
  #ended = false;

  /** @param memory all of the model's lanes. @param from edge from which on there is a wave */
  constructor(
    map: WaveMap,
    memory: Uint32Array,
    o: { readonly clocks: readonly ClockSetting[]; readonly from: number; readonly open: () => TextSink },
  ) {
    this.#map = map;
    this.#memory = memory;
    this.#clocks = o.clocks;
    this.#from = o.from;
    this.#open = o.open;
    this.#last = new Uint32Array(map.lanes.length);
    this.#falls = o.clocks.map(() => Infinity);
  }

  /** @param edges so far. @param time of the last one, ps */
  sample(edges: number, time: number): void {
    if (this.#ended || edges < this.#from) return;
    if (this.#sink === undefined) this.#begin(time);
    else this.#changes(time);
  }

  #begin(time: number): void {
    const { head, constants, clocks, ids, widths, firsts, lanes } = this.#map;
    this.#sink = this.#open();
    this.#text = head;
    this.#time(time);
    this.#text += "$dumpvars\n";
    this.#text += clocks.map((id, n) => `${this.#falls[n] === Infinity ? 0 : 1}${id}\n`).join("");
    this.#text += constants;
    ids.forEach((id, n) => {
      this.#text += change(this.#memory, firsts[n] as number, widths[n] as number, id);
    });
    this.#text += "$end\n";
    for (let i = 0; i < lanes.length; i++) this.#last[i] = this.#memory[lanes[i] as number] as number;
  }

  #changes(time: number): void {
    const { lanes, owners, ids, widths, firsts } = this.#map,
      memory = this.#memory,
      last = this.#last;
    let done = -1;
    for (let i = 0; i < lanes.length; i++) {
      const now = memory[lanes[i] as number] as number;
      if (now === last[i]) continue;
      last[i] = now;
      const n = owners[i] as number;
      if (n === done) continue;
      if (done < 0) this.#time(time);
      done = n;
      this.#text += change(memory, firsts[n] as number, widths[n] as number, ids[n] as string);
    }
    if (this.#text.length >= (this.#sink?.chunk ?? CHUNK)) this.#flush();
  }

  /** Clocks rise, a bit each. */
  rise(time: number, rising: number): void {
    if (this.#ended) return;
    this.#fall(time);
    for (let i = 0; i < this.#falls.length; i++) {
      if (((rising >> i) & 1) === 0) continue;
      this.#falls[i] = time + Math.ceil((this.#clocks[i] as ClockSetting).periodPs / 2);
      this.#level(i, 1, time);
    }
  }
  /** What falls up to a time, the earliest first. */
  #fall(upTo: number): void {
    for (;;) {
      const next = Math.min(...this.#falls);
      if (!(next <= upTo) || next === Infinity) return;
      const i = this.#falls.indexOf(next);
      this.#falls[i] = Infinity;
      this.#level(i, 0, next);
    }
  }
  #level(clock: number, level: number, time: number): void {
    if (this.#sink === undefined) return;
    this.#time(time);
    this.#text += `${level}${this.#map.clocks[clock] ?? ""}\n`;
  }

  #time(time: number): void {
    if (time === this.#at) return;
    this.#at = time;
    this.#text += `#${time}\n`;
  }
  #flush(): void {
    this.#sink?.write(this.#text);
    this.#text = "";
  }

  /** The model is somewhere else in time from now on. @param next when each clock rises, ps */
  jump(time: number, next: readonly number[]): void {
    if (this.#sink !== undefined)
      throw new SimulationError(
        "restore: the wave has begun, and its time only goes on; give wave.fromCycle the cycle of the checkpoint, or simulate({ checkpoint, wave })",
      );
    this.#clocks.forEach(({ periodPs, phasePs }, i) => {
      const rose = (next[i] ?? 0) - periodPs,
        falls = rose + Math.ceil(periodPs / 2);
      this.#falls[i] = rose > phasePs && falls > time ? falls : Infinity;
    });
  }

  /** The last values are seen for a while: to the next fall of every clock. */
  end(): void {
    if (this.#ended) return;
    if (this.#sink !== undefined) {
      this.#fall(Number.MAX_SAFE_INTEGER);
      this.#time(this.#at + 1);
      this.#flush();
      this.#sink.close();
    }
    this.#ended = true;
  }
}
