/** Faults in a statement: what may stand in its place. */
import { exclude } from "./exclusive.ts";
import { type Assign, type Circuit, type Expr, type If, not, number, type Signal, type Stmt } from "./ir.ts";
import { flipped, shifted } from "./node-operators.ts";
import { textOf } from "./text.ts";

export interface StatementFault {
  readonly by: ReadonlyMap<Stmt, readonly Stmt[]>;
  readonly says: string;
}
export interface StatementOperator {
  readonly name: string;
  readonly what: string;
  /** Faults at a statement; `next` follows it in its block. */
  readonly of: (s: Stmt, next: Stmt | undefined, c: Circuit) => readonly StatementFault[];
}

const one = (s: Stmt, by: readonly Stmt[], says: string): StatementFault => ({ by: new Map([[s, by]]), says });
const targetOf = (s: Assign): string =>
  s.width === s.target.width ? s.target.name : `${s.target.name}[${s.lo + s.width - 1}:${s.lo}]`;
const withValue = (s: Assign, value: Expr): StatementFault =>
  one(s, [{ ...s, value }], `${targetOf(s)} gets ${textOf(value)}, not ${textOf(s.value)}`);

const codesOf = (s: Signal): readonly bigint[] => s.codes ?? s.states?.map((_, i) => BigInt(i)) ?? [];

/** A state machine goes to the state after the one that is meant. */
function nextState(s: Assign): readonly StatementFault[] {
  const { value, target } = s,
    codes = codesOf(target);
  if (value.kind !== "const" || codes.length < 2) return [];
  const at = codes.indexOf(value.value),
    to = (at + 1) % codes.length,
    code = codes[to];
  if (at < 0 || code === undefined) return [];
  return [
    one(
      s,
      [{ ...s, value: number(code, value.width) }],
      `${targetOf(s)} goes to ${target.states?.[to] ?? String(code)}, not to ${textOf(value)}`,
    ),
  ];
}

/** Fields of one stream or instance, or parts of one value, that are assigned one after the other. */
function areFields(a: Assign, b: Assign): boolean {
  if (a.width !== b.width || a.value === b.value || a.target.signed !== b.target.signed) return false;
  if (a.target === b.target) return a.lo !== b.lo;
  if (a.target.role === "valid" || a.target.role === "ready" || b.target.role === "valid" || b.target.role === "ready")
    return false;
  return (
    a.target.kind === b.target.kind &&
    a.target.instance === b.target.instance &&
    a.target.path !== undefined &&
    a.target.path.length > 1 &&
    a.target.path.slice(0, -1).join() === b.target.path?.slice(0, -1).join()
  );
}

const elseIf = (s: If): If | undefined =>
  s.otherwise.length === 1 && s.otherwise[0]?.kind === "if" ? s.otherwise[0] : undefined;

/** The value goes through a register that was not there. */
function late(s: Assign, c: Circuit): readonly StatementFault[] {
  const domain = s.target.domain ?? (c.domains.length === 1 ? c.domains[0] : undefined);
  return domain === undefined || s.value.kind === "const"
    ? []
    : [one(s, [s], `${targetOf(s)} gets ${textOf(s.value)} a cycle late`)];
}

export const statementOperators: readonly StatementOperator[] = [
  {
    name: "branch",
    what: "a branch is always taken, never, or in the opposite case",
    of: s =>
      s.kind !== "if"
        ? []
        : [
            one(s, [{ ...s, cond: number(1n, 1) }], `the branch under ${textOf(s.cond)} is always taken`),
            one(s, [{ ...s, cond: number(0n, 1) }], `the branch under ${textOf(s.cond)} is never taken`),
            one(s, [{ ...s, cond: not(s.cond) }], `the branch under ${textOf(s.cond)} is taken in the opposite case`),
          ],
  },
  {
    name: "case-lost",
    what: "a case of a switch does nothing",
    of: s =>
      s.kind !== "switch"
        ? []
        : s.cases
            .filter(x => x.body.length > 0)
            .map(x =>
              one(
                s,
                [{ ...s, cases: s.cases.map(y => (y === x ? { ...y, body: [] } : y)) }],
                `the case ${x.labels.map(l => textOf(l)).join(", ")} of ${textOf(s.on)} does nothing`,
              ),
            ),
  },
  {
    name: "order",
    what: "two branches of a chain are asked in the other order",
    of: s => {
      const inner = s.kind === "if" ? elseIf(s) : undefined;
      if (s.kind !== "if" || inner === undefined || exclude(s.cond, inner.cond)) return [];
      const swapped: If = { ...inner, otherwise: [{ ...s, otherwise: inner.otherwise }] };
      return [one(s, [swapped], `${textOf(inner.cond)} is asked before ${textOf(s.cond)}`)];
    },
  },
  {
    name: "assignment-lost",
    what: "an assignment is missing",
    of: s => (s.kind === "assign" ? [one(s, [], `${targetOf(s)} does not get ${textOf(s.value)}`)] : []),
  },
  {
    name: "stuck",
    what: "a valid or a ready is 0 or 1 where it should depend",
    of: s =>
      s.kind === "assign" && (s.target.role === "valid" || s.target.role === "ready") && s.value.kind !== "const"
        ? [0n, 1n].map(v => withValue(s, number(v, 1)))
        : [],
  },
  {
    name: "value",
    what: "a constant that is assigned is turned, one more or one less",
    of: s =>
      s.kind === "assign" && s.target.states === undefined
        ? [...flipped(s.value), ...shifted(s.value)].map(v => withValue(s, v))
        : [],
  },
  { name: "state", what: "a state machine goes to another state", of: s => (s.kind === "assign" ? nextState(s) : []) },
  {
    name: "fields",
    what: "two fields of equal width are exchanged",
    of: (s, next) =>
      s.kind === "assign" && next?.kind === "assign" && areFields(s, next)
        ? [
            {
              by: new Map<Stmt, readonly Stmt[]>([
                [s, [{ ...s, value: next.value }]],
                [next, [{ ...next, value: s.value }]],
              ]),
              says: `${targetOf(s)} and ${targetOf(next)} get each other's values`,
            },
          ]
        : [],
  },
  { name: "late", what: "a value comes one cycle late", of: (s, _next, c) => (s.kind === "assign" ? late(s, c) : []) },
  {
    name: "write-lost",
    what: "a memory is not written",
    of: s => (s.kind === "memWrite" ? [one(s, [], `${s.port.memory.name}[${textOf(s.address)}] is not written`)] : []),
  },
  {
    name: "mask",
    what: "a memory is written whole, without its mask",
    of: s =>
      s.kind === "memWrite" && s.mask !== undefined
        ? [
            one(
              s,
              [{ ...s, mask: number(-1n, s.mask.width) }],
              `${s.port.memory.name}[${textOf(s.address)}] is written whole, without its mask`,
            ),
          ]
        : [],
  },
];
