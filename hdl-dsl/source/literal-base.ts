/** The base in which a source text writes a number, so that emitted text can write it in the same one. */
import { type Position, type Source, sourceOf, tokenAt } from "./source-name.ts";

export type Base = "hex" | "binary";

const known = new Map<Position, Map<bigint, Base | undefined>>();

/**
 * The base of the number `value` among the arguments of the call at `at`; undefined: decimal, computed, or not to be
 * found. A constant of the same file counts as what it is declared as: `const magic = 0x88b6`.
 */
export function baseOf(value: bigint, at: Position | undefined): Base | undefined {
  if (at === undefined) return undefined;
  let values = known.get(at);
  if (values === undefined) known.set(at, (values = new Map<bigint, Base | undefined>()));
  if (!values.has(value)) values.set(value, find(value, at));
  return values.get(value);
}

function find(value: bigint, at: Position): Base | undefined {
  const s = sourceOf(at.file),
    call = s === undefined ? undefined : (tokenAt(s, at) ?? s.lineStart[at.line]);
  if (s === undefined || call === undefined) return undefined;
  let open = call + 1;
  while (open < s.tokens.length && !["(", ";"].includes(s.tokens[open]?.text ?? "")) open++;
  // Some source maps lead to the beginning of a chain of calls: the later ones are looked through as well.
  for (;;) {
    const close = s.partner[open] ?? open;
    for (let i = open + 1; i < close; i++) {
      const written = literalBase(s, i, value) ?? literalBase(s, declared(s, i), value);
      if (written !== undefined) return written === "decimal" ? undefined : written;
    }
    if (s.tokens[close + 1]?.text !== "." || s.tokens[close + 3]?.text !== "(") return undefined;
    open = close + 3;
  }
}

/** How token `i` writes the number; undefined when it is something else. */
function literalBase(s: Source, i: number | undefined, value: bigint): Base | "decimal" | undefined {
  const t = i === undefined ? undefined : s.tokens[i];
  const m = t?.kind === "literal" ? /^(?:0([xb]))?([0-9a-f_]+)n?$/i.exec(t.text) : null;
  if (m === null) return undefined;
  const [, prefix = "", digits = ""] = m,
    plain = digits.replaceAll("_", "");
  if (prefix === "" && !/^\d+$/.test(plain)) return undefined;
  if (BigInt(prefix === "" ? plain : `0${prefix}${plain}`) !== value) return undefined;
  return prefix === "" ? "decimal" : prefix.toLowerCase() === "x" ? "hex" : "binary";
}

/** The token after `const <name> =`, of the name that token `i` is. */
function declared(s: Source, i: number): number | undefined {
  const t = s.tokens[i];
  if (t?.kind !== "name" || s.tokens[i - 1]?.text === ".") return undefined;
  for (let n = 1; n < s.tokens.length; n++)
    if (
      s.tokens[n]?.text === t.text &&
      s.tokens[n + 1]?.text === "=" &&
      ["const", ","].includes(s.tokens[n - 1]?.text ?? "")
    )
      return n + 2;
  return undefined;
}
