/** A value change dump, read back, and what the page shows of it. */

export interface Trace {
  /** Path from the top, without the top's own name: `net_rx.request_valid`. */
  readonly name: string;
  readonly width: number;
  /** Time in ps and bits, in the order of time. */
  readonly changes: (readonly [time: number, bits: string])[];
}

/** Reads the dumps of one simulation, piece by piece. */
export class Waves {
  readonly traces = new Map<string, Trace>();
  readonly #byId = new Map<string, Trace>();
  #scopes: string[] = [];
  #time = 0;

  get time(): number {
    return this.#time;
  }

  read(text: string): void {
    for (const line of text.split("\n")) {
      const first = line[0];
      if (first === "#") this.#time = Number(line.slice(1));
      else if (first === "b") {
        const space = line.indexOf(" ");
        this.#change(line.slice(space + 1), line.slice(1, space));
      } else if (first === "$") this.#declare(line.split(" "));
      else if (first !== undefined) this.#change(line.slice(1), first);
    }
  }

  #declare(words: readonly string[]): void {
    const [what, , third = "", id = "", name = ""] = words;
    if (what === "$scope") this.#scopes.push(third);
    else if (what === "$upscope") this.#scopes.pop();
    else if (what === "$var") {
      // TOP and the top module stand before every name.
      const path = [...this.#scopes.slice(2), name].join(".");
      const known = this.#byId.get(id) ?? { name: path, width: Number(third), changes: [] };
      this.#byId.set(id, known);
      this.traces.set(path, known);
    }
  }
  #change(id: string, bits: string): void {
    this.#byId.get(id)?.changes.push([this.#time, bits]);
  }

  /** Bits at a time. */
  at(t: Trace, time: number): string {
    let low = 0,
      high = t.changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((t.changes[middle]?.[0] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return t.changes[low - 1]?.[1] ?? "x";
  }

  /** Forgets all but the present values: a long run stays small. */
  forget(): void {
    for (const t of this.#byId.values()) if (t.changes.length > 1) t.changes.splice(0, t.changes.length - 1);
  }
}

/** Lanes of WaveDrom for the top module's signals from a cycle on. Values are those that stand at each rising edge. */
export function lanesOf(w: Waves, periodPs: number, from: number, cycles: number): object {
  const tops = [...w.traces].filter(([name]) => !name.includes(".") && name !== "clk");
  const signal = tops.map(([name, t]) => {
    let wave = "",
      before: string | undefined;
    const data: string[] = [];
    for (let c = from; c < from + cycles; c++) {
      const bits = w.at(t, c * periodPs + periodPs / 4);
      if (bits === before) wave += ".";
      else if (t.width === 1) wave += bits;
      else {
        wave += "=";
        data.push(bits === "x" ? "x" : BigInt(`0b${bits}`).toString(16));
      }
      before = bits;
    }
    return { name, wave, data };
  });
  return {
    signal: [{ name: "clk", wave: `p${".".repeat(Math.max(0, cycles - 1))}` }, ...signal],
    foot: { tick: from },
    config: { hscale: 1 },
  };
}
