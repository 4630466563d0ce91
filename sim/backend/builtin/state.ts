/** Where the state of a design lies: what a model has to keep so that it can be gone back to. */
import type { BlockLayout } from "../layout.ts";
import { bytesOf, type MemoryMap } from "./memory-map.ts";
import type { Netlist } from "./circuit/netlist.ts";

interface Range {
  readonly word: number;
  readonly words: number;
}

export class StateMap {
  /** Names and sizes, in order: the same for every build of a design. */
  readonly design: string;
  readonly #ports: Range;
  readonly #registers: readonly (Range & { readonly shadow: number | undefined })[];
  readonly #memories: readonly Range[];

  constructor(net: Netlist, map: MemoryMap, layout: BlockLayout) {
    this.#ports = { word: 0, words: layout.words };
    this.#registers = net.registers.map(({ source }) => {
      const shadow = map.shadows.get(source);
      return {
        word: (map.sources.get(source) as number) / 4,
        words: bytesOf(source.width) / 4,
        shadow: shadow === undefined ? undefined : shadow / 4,
      };
    });
    this.#memories = net.stores.map(s => ({
      word: (map.stores.get(s) as number) / 4,
      words: (bytesOf(s.width) / 4) * s.depth,
    }));
    this.design = [
      ...[...layout.slots.keys()].map(name => `port ${name} ${layout.slots.get(name)?.port.width ?? 0}`),
      ...net.registers.map(r => `register ${r.source.name} ${r.source.width}`),
      ...net.stores.map(s => `memory ${s.name} ${s.width}x${s.depth}`),
    ].join("\n");
  }

  read(memory: Uint32Array): {
    readonly ports: Uint32Array;
    readonly registers: Uint32Array;
    readonly memories: Uint32Array;
  } {
    return {
      ports: gather(memory, [this.#ports]),
      registers: gather(memory, this.#registers),
      memories: gather(memory, this.#memories),
    };
  }

  write(memory: Uint32Array, s: ReturnType<StateMap["read"]>): void {
    memory.set(s.ports, this.#ports.word);
    let at = 0;
    for (const r of this.#registers) {
      const value = s.registers.subarray(at, (at += r.words));
      memory.set(value, r.word);
      if (r.shadow !== undefined) memory.set(value, r.shadow);
    }
    at = 0;
    for (const m of this.#memories) memory.set(s.memories.subarray(at, (at += m.words)), m.word);
  }
}

function gather(memory: Uint32Array, ranges: readonly Range[]): Uint32Array {
  const out = new Uint32Array(ranges.reduce((n, r) => n + r.words, 0));
  let at = 0;
  for (const r of ranges) {
    out.set(memory.subarray(r.word, r.word + r.words), at);
    at += r.words;
  }
  return out;
}

/** The first thing that two designs have differently, for the sentence. */
export function firstDifference(ours: string, theirs: string): string {
  const a = ours.split("\n"),
    b = theirs.split("\n"),
    n = a.findIndex((line, i) => line !== b[i]);
  return n < 0 ? `it has ${b[a.length] ?? "more"} too` : `${a[n] ?? ""} here is ${b[n] ?? "nothing"} there`;
}
