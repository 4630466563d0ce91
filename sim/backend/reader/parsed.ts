/** Modules that were parsed, by the text of their file; and what tells two modules apart with all below them. */
import { modulesOf } from "./parse-module.ts";
import type { Module } from "./syntax.ts";

/** Characters of text that are kept, a hundred times as many bytes when parsed: a design as large as a whole node. */
const KEPT = 2_000_000;

interface File {
  readonly name: string;
  readonly text: string;
}

export class ParsedFiles {
  /** The one that was asked for last stands last. */
  readonly #known = new Map<string, readonly Module[]>();
  #characters = 0;

  /** The modules of a file: the same ones for the same text. */
  of(f: File): readonly Module[] {
    // The name is part of every place that a sentence tells.
    const key = `${f.name}\n${f.text}`,
      modules = this.#known.get(key) ?? modulesOf(f.name, f.text);
    if (!this.#known.delete(key)) this.#characters += key.length;
    this.#known.set(key, modules);
    this.#trim();
    return modules;
  }
  #trim(): void {
    for (const key of this.#known.keys()) {
      if (this.#characters <= KEPT) return;
      this.#known.delete(key);
      this.#characters -= key.length;
    }
  }
}

const numbers = new WeakMap<Module, number>();
let last = 0;

function numberOf(m: Module): number {
  let n = numbers.get(m);
  if (n === undefined) numbers.set(m, (n = ++last));
  return n;
}

/** Of a design's modules: each with all that it is made of, as a text. */
export class Parts {
  readonly #modules: ReadonlyMap<string, Module>;
  readonly #below = new Map<string, ReadonlySet<number>>();

  constructor(modules: ReadonlyMap<string, Module>) {
    this.#modules = modules;
  }

  /** The same text for modules that are the same, and have the same ones below. */
  of(name: string): string {
    return [...this.#partsOf(name)].sort((a, b) => a - b).join(",");
  }
  #partsOf(name: string): ReadonlySet<number> {
    const known = this.#below.get(name),
      m = this.#modules.get(name);
    if (known !== undefined || m === undefined) return known ?? new Set();
    const parts = new Set([numberOf(m)]);
    // A module that has itself below is refused elsewhere; here the walk only has to end.
    this.#below.set(name, parts);
    for (const i of m.instances) for (const p of this.#partsOf(i.module)) parts.add(p);
    return parts;
  }
}
