/**
 * Before a synchroniser there is no logic, and no bus: a synchroniser settles one bit that comes straight from a
 * register. Anything between two clocks may show for a moment what neither side ever held.
 */
import type { Signal } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import type { Expr } from "../ir/expr.ts";
import { originOf, type Taker, takers } from "./origins.ts";
import { finding, type Study } from "./study.ts";

/** HDL018, HDL019. */
export const checkSynchronisers = (s: Study): Diagnostic[] => takers(s).flatMap(t => judge(s, t));

function judge(s: Study, { signal: at, values, entry: e }: Taker): Diagnostic[] {
  if (!values.some(v => [...s.facts.domainsOf(v)].some(d => d !== e.domain))) return [];
  const taken = values.filter(v => !isEnabled(s, v, at, e.domain));
  const { sources, logic } = originOf(s, taken);
  const from = [...sources].map(x => `\`${x.name}\``),
    first = [...sources][0];
  if (sources.size > 1 || (logic && (first?.width ?? 0) > 1))
    return [
      finding(
        s,
        "HDL018",
        `the synchroniser \`${at.name}\` takes a value that is made of ${sources.size > 1 ? list(from) : `several bits of ${from.join("")}`}: between two edges it may show what neither of them says`,
        "Register the value in its own clock domain first, and synchronise that register; several bits cross in Gray code (toGray) or by a handshake (AsyncFifo, PulseSynchroniser)",
        first?.position ?? at.position,
        at.position,
      ),
    ];
  if (e.width === 1 || e.oneBitAtATime || first === undefined || isGray(s, first)) return [];
  return [
    finding(
      s,
      "HDL019",
      `${e.width} bits of ${from.join("")} go through the synchroniser \`${at.name}\` together: bits that change at one edge arrive at different ones`,
      "Cross in Gray code (toGray into a register), by a handshake (AsyncFifo, PulseSynchroniser), or state { oneBitAtATime: true } where only one bit changes at a time",
      first.position,
      at.position,
    ),
  ];
}

const list = (names: readonly string[]): string => `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;

/** A register that takes a value only when its own domain says so: what it takes stands still by then (a handshake). */
function isEnabled(s: Study, v: Expr, r: Signal, domain: string): boolean {
  if (v.kind !== "mux") return false;
  const holds = [v.a, v.b].some(x => x.kind === "read" && x.signal === r);
  return holds && [...s.facts.domainsOf(v.cond)].every(d => d === domain);
}

/** Whether a register holds Gray code as the library makes it: `v ^ (v >> 1)`, or a copy of such a register. */
function isGray(s: Study, r: Signal, seen = new Set<Signal>()): boolean {
  if (r.kind !== "reg" && r.kind !== "wire") return false;
  if (seen.has(r)) return true;
  seen.add(r);
  const segments = s.resolution.segments.get(r) ?? [],
    value = segments.length === 1 ? segments[0]?.value : undefined;
  return value !== undefined && isGrayValue(s, value, r, seen);
}

function isGrayValue(s: Study, e: Expr, r: Signal, seen: Set<Signal>): boolean {
  if (e.kind === "read") return e.signal === r || isGray(s, e.signal, seen);
  if (e.kind === "mux") {
    const [a, b] = [e.a, e.b].map(x => x.kind === "read" && x.signal === r) as [boolean, boolean];
    // One new value and the old one; a choice between two codes may change several bits.
    return (a && isGrayValue(s, e.b, r, seen)) || (b && isGrayValue(s, e.a, r, seen));
  }
  return (
    e.kind === "binary" &&
    e.op === "xor" &&
    e.b.kind === "shift" &&
    e.b.op === "right" &&
    e.b.by.kind === "const" &&
    e.b.by.value === 1n &&
    same(e.a, e.b.a)
  );
}
const same = (a: Expr, b: Expr): boolean =>
  a === b || (a.kind === "read" && b.kind === "read" && a.signal === b.signal);
