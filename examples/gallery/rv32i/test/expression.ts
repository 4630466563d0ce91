/** Constant expressions of an assembler, in whole numbers of any size: what C's preprocessor leaves of a macro. */

/** @returns the value of a name; a name that is not known yet has none */
export type Lookup = (name: string) => bigint | undefined;

const token = /\s*(?:(0[xX][0-9a-fA-F]+|\d+(?![0-9fb])|\d+[fb]\b|[A-Za-z_.$][\w.$]*)|(<<|>>|[-+*/&|^~()]))/y;
const levels: readonly (readonly string[])[] = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/"]];

const apply: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "&": (a, b) => a & b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

function tokens(text: string): string[] {
  const found: string[] = [];
  token.lastIndex = 0;
  for (let at = 0; text.slice(at).trim() !== ""; at = token.lastIndex) {
    const m = token.exec(text);
    if (m === null) throw new Error(`"${text}" is no expression`);
    found.push(m[1] ?? m[2] ?? "");
  }
  return found;
}

/** @returns undefined when a name in it has no value yet */
export function evaluate(text: string, lookup: Lookup): bigint | undefined {
  const all = tokens(text);
  const unknown: string[] = [];
  let at = 0;
  const primary = (): bigint => {
    const t = all[at++];
    if (t === undefined) throw new Error(`"${text}" ends too early`);
    if (t === "-") return -primary();
    if (t === "+") return primary();
    if (t === "~") return ~primary();
    if (t === "(") {
      const inner = binary(0);
      if (all[at++] !== ")") throw new Error(`"${text}" lacks a parenthesis`);
      return inner;
    }
    if (/^\d/.test(t) && !/^\d+[fb]$/.test(t)) return BigInt(t);
    const value = lookup(t);
    if (value === undefined) unknown.push(t);
    return value ?? 0n;
  };
  const binary = (level: number): bigint => {
    const operators = levels[level];
    if (operators === undefined) return primary();
    let left = binary(level + 1);
    for (let t = all[at]; t !== undefined && operators.includes(t); t = all[at]) {
      at++;
      left = apply[t]?.(left, binary(level + 1)) ?? left;
    }
    return left;
  };
  const value = binary(0);
  if (at < all.length) throw new Error(`"${text}" goes on behind its end`);
  return unknown.length > 0 ? undefined : value;
}
