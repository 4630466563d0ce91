/** Control state: FSM states that cannot be reached, and valid registers that reset leaves undefined. */
import type { Signal, Stmt } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import type { Expr } from "../ir/expr.ts";
import { codeOfState, codesOfStates } from "../ir/states.ts";
import type { Segment } from "../ir/resolve.ts";
import { finding, type Study } from "./study.ts";

/** A transition: from one of `from` (undefined: from anywhere) to `to`. */
interface Move {
  readonly from: ReadonlySet<bigint> | undefined;
  readonly to: bigint;
}

export function checkStates(s: Study): Diagnostic[] {
  const machines = s.circuit.signals.filter(x => x.kind === "reg" && x.states !== undefined);
  if (machines.length === 0) return [];
  const moves = new Map<Signal, Move[] | "unknown">(machines.map(m => [m, []]));
  collect(s.circuit.body, new Map(), moves);
  return machines.flatMap(m => unreachable(s, m, moves.get(m)));
}

function unreachable(s: Study, m: Signal, moves: readonly Move[] | "unknown" | undefined): Diagnostic[] {
  if (moves === undefined || moves === "unknown" || m.init === undefined) return [];
  const reached = new Set<bigint>([m.init]);
  for (let grown = true; grown;) {
    grown = false;
    for (const v of moves) {
      if (reached.has(v.to) || !(v.from === undefined || [...v.from].some(f => reached.has(f)))) continue;
      reached.add(v.to);
      grown = true;
    }
  }
  return (m.states ?? []).flatMap((name, n) =>
    reached.has(codeOfState(m, n))
      ? []
      : [
          finding(
            s,
            "HDL011",
            `state ${name} of \`${m.name}\` cannot be reached`,
            `Go to ${name} from a state that can be reached, or remove it`,
            m.position,
          ),
        ],
  );
}

/** `within`: for each machine, the states that the statements run in. */
function collect(
  body: readonly Stmt[],
  within: ReadonlyMap<Signal, ReadonlySet<bigint>>,
  moves: Map<Signal, Move[] | "unknown">,
): void {
  for (const s of body) {
    switch (s.kind) {
      case "assign": {
        const list = moves.get(s.target);
        if (list === undefined || list === "unknown") break;
        const values = constantsOf(s.value);
        if (values === undefined) moves.set(s.target, "unknown");
        else for (const to of values) list.push({ from: within.get(s.target), to });
        break;
      }
      case "if":
        collect(s.then, within, moves);
        collect(s.otherwise, within, moves);
        break;
      case "switch": {
        const machine = s.on.kind === "read" && moves.has(s.on.signal) ? s.on.signal : undefined;
        const inCase = (labels: ReadonlySet<bigint>): ReadonlyMap<Signal, ReadonlySet<bigint>> =>
          machine === undefined ? within : new Map(within).set(machine, labels);
        const listed = new Set<bigint>();
        for (const c of s.cases) {
          const labels = new Set(c.labels.flatMap(l => (l.kind === "const" ? [l.value] : [])));
          for (const l of labels) listed.add(l);
          collect(c.body, inCase(labels), moves);
        }
        const rest = new Set((machine === undefined ? [] : codesOfStates(machine)).filter(n => !listed.has(n)));
        collect(s.otherwise ?? [], inCase(rest), moves);
        break;
      }
      case "memWrite":
      case "property":
        break;
    }
  }
}

/** The constants that an expression chooses between; undefined when it is more than a choice. */
function constantsOf(e: Expr): bigint[] | undefined {
  if (e.kind === "const") return [e.value];
  if (e.kind !== "mux") return undefined;
  const a = constantsOf(e.a),
    b = constantsOf(e.b);
  return a === undefined || b === undefined ? undefined : [...a, ...b];
}

/** The register that a signal repeats, through wires. */
function registerBehind(s: Study, signal: Signal): Signal | undefined {
  let x: Signal | undefined = signal;
  for (const seen = new Set<Signal>(); x !== undefined && !seen.has(x);) {
    if (x.kind === "reg") return x;
    seen.add(x);
    const segments: readonly Segment[] = s.resolution.segments.get(x) ?? [],
      value = segments.length === 1 ? segments[0]?.value : undefined;
    x = value?.kind === "read" ? value.signal : undefined;
  }
  return undefined;
}

/** A register that drives a stream's valid or ready must be cleared by reset, or the first cycles transfer nonsense. */
export function checkResets(s: Study): Diagnostic[] {
  const out: Diagnostic[] = [];
  for (const t of s.circuit.streams)
    for (const control of [t.valid, t.ready]) {
      const register = registerBehind(s, control);
      if (register === undefined || register.init !== undefined) continue;
      out.push(
        finding(
          s,
          "HDL012",
          `register \`${register.name}\` drives \`${control.name}\` and has no reset value: the stream would be ${control === t.valid ? "valid" : "ready"} or not by chance after power-up`,
          `Declare \`${register.name}\` with { init: 0 }`,
          register.position,
          control.position,
        ),
      );
    }
  return out;
}
