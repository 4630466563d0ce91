/** A reader of value change dumps, written from IEEE 1364-2005, 18.2: nothing of the writer is in it. */

interface Variable {
  readonly id: string;
  readonly width: number;
}

export class Vcd {
  /** Dotted paths of all variables. */
  readonly variables = new Map<string, Variable>();
  /** All times at which something stands, in order. */
  readonly times: number[] = [];
  /** By identifier: times and values from then on. */
  readonly #changes = new Map<string, { readonly time: number; readonly value: string }[]>();

  constructor(text: string) {
    const words = text.split(/\s+/).filter(w => w !== "");
    const scope: string[] = [];
    let at = 0,
      time = 0;
    const next = (): string => {
      const w = words[at++];
      if (w === undefined) throw new Error("the dump ends within a command");
      return w;
    };
    const rest = (): string[] => {
      const list: string[] = [];
      for (let w = next(); w !== "$end"; w = next()) list.push(w);
      return list;
    };
    const change = (id: string, value: string): void => {
      const list = this.#changes.get(id);
      if (list === undefined) throw new Error(`no variable has the identifier ${id}`);
      list.push({ time, value });
    };
    while (at < words.length) {
      const w = next();
      if (w === "$scope") scope.push(rest()[1] ?? "");
      else if (w === "$upscope") {
        rest();
        if (scope.pop() === undefined) throw new Error("a scope ends that has not begun");
      } else if (w === "$var") {
        const [, width = "", id = "", name = ""] = rest();
        const path = [...scope, name].join(".");
        if (this.variables.has(path)) throw new Error(`${path} is declared twice`);
        this.variables.set(path, { id, width: Number(width) });
        if (!this.#changes.has(id)) this.#changes.set(id, []);
      } else if (w === "$dumpvars" || w === "$end") continue;
      else if (w.startsWith("$")) rest();
      else if (w.startsWith("#")) {
        const to = Number(w.slice(1));
        if (!(to > time || this.times.length === 0)) throw new Error(`time goes from ${time} to ${to}`);
        time = to;
        this.times.push(to);
      } else if (/^b[01xz]+$/i.test(w)) change(next(), w.slice(1));
      else if (/^[01xz]/i.test(w)) change(w.slice(1), w.slice(0, 1));
      else throw new Error(`${w} is no command`);
    }
  }

  /** The value after all changes at a time; undefined before the first, or when it is not known. */
  at(path: string, time: number): bigint | undefined {
    const v = this.variables.get(path);
    if (v === undefined) throw new Error(`the dump has no ${path}`);
    const list = this.#changes.get(v.id) ?? [];
    let lo = 0,
      hi = list.length;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if ((list[mid]?.time ?? 0) <= time) lo = mid + 1;
      else hi = mid;
    }
    const value = list[lo - 1]?.value;
    if (value === undefined || !/^[01]+$/.test(value)) return undefined;
    if (value.length > v.width) throw new Error(`${path} has ${v.width} bits, not ${value}`);
    return BigInt(`0b${value}`);
  }

  /** Times at which a variable becomes 1. */
  rises(path: string): number[] {
    const list = this.#changes.get(this.variables.get(path)?.id ?? "") ?? [];
    return list.filter((c, i) => c.value === "1" && i > 0 && list[i - 1]?.value === "0").map(c => c.time);
  }
  falls(path: string): number[] {
    const list = this.#changes.get(this.variables.get(path)?.id ?? "") ?? [];
    return list.filter((c, i) => c.value === "0" && i > 0 && list[i - 1]?.value === "1").map(c => c.time);
  }
}
