/** All faults that can be planted into a module, each with a name that other parameters of the module share. */
import {
  allStatements,
  type Circuit,
  type Expr,
  forgetResolution,
  operandsOf,
  type Position,
  postOrder,
  read,
  type Signal,
  type Stmt,
} from "./ir.ts";
import { nodeOperators } from "./node-operators.ts";
import { type Edit, mapBody, replaceNode, replaceStatements } from "./rewrite.ts";
import { stateOperators } from "./state-operators.ts";
import { type StatementFault, statementOperators } from "./statement-operators.ts";
import { textOf } from "./text.ts";

/** A fault that can be planted: where, of which kind, and the edits that make it. */
export interface Mutant {
  /** `<operator>@<file>:<line>:<column>#<number>`, the file by its base name. */
  readonly key: string;
  readonly operator: string;
  readonly position: Position | undefined;
  /** What was changed: one sentence. */
  readonly says: string;
  readonly edits: () => readonly Edit[];
}

/** Names and meanings of all operators. */
export const operators: readonly { readonly name: string; readonly what: string }[] = [
  ...nodeOperators,
  ...statementOperators,
  ...stateOperators,
];

const fileOf = (p: Position): string => p.file.slice(Math.max(p.file.lastIndexOf("/"), p.file.lastIndexOf("\\")) + 1);

/** The expressions of a statement, without those of statements inside; a check has none that counts. */
function rootsOf(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case "assign":
      return [s.value];
    case "if":
      return [s.cond];
    case "switch":
      return [s.on];
    case "memWrite":
      return [s.address, s.data, ...(s.mask === undefined ? [] : [s.mask])];
    case "property":
      return [];
  }
}

/** Every block of statements, for what follows a statement. */
function followers(body: readonly Stmt[], found = new Map<Stmt, Stmt | undefined>()): Map<Stmt, Stmt | undefined> {
  body.forEach((s, i) => {
    found.set(s, body[i + 1]);
    if (s.kind === "if") [s.then, s.otherwise].forEach(b => followers(b, found));
    if (s.kind === "switch") [...s.cases.map(c => c.body), s.otherwise ?? []].forEach(b => followers(b, found));
  });
  return found;
}

/** A register before the value that a statement assigns. */
function lateEdits(c: Circuit, s: Stmt): readonly Edit[] {
  if (s.kind !== "assign") return [];
  const domain = s.target.domain ?? c.domains[0];
  const before: Signal = {
    kind: "reg",
    name: `${s.target.name}_late`,
    width: s.width,
    signed: s.value.signed,
    init: domain?.kind === "none" ? undefined : 0n,
    domain,
    position: s.position,
  };
  const body = mapBody(
    c.body,
    e => e,
    x => (x === s ? [{ ...s, value: read(before) }] : [x]),
  );
  const store: Stmt = { kind: "assign", target: before, lo: 0, width: s.width, value: s.value, position: s.position };
  return [{ holder: c, change: { signals: [...c.signals, before], body: [...body, store] } }];
}

/** The faults of a circuit, in the order of its source. A circuit of a black box has none. */
export function mutantsOf(c: Circuit): readonly Mutant[] {
  const found: Mutant[] = [],
    counts = new Map<string, number>();
  const add = (operator: string, position: Position | undefined, says: string, edits: () => readonly Edit[]): void => {
    const at = position === undefined ? "?" : `${fileOf(position)}:${position.line}:${position.column}`,
      place = `${operator}@${at}`,
      n = counts.get(place) ?? 0;
    counts.set(place, n + 1);
    found.push({ key: `${place}#${n}`, operator, position, says, edits });
  };
  if (c.blackBox !== undefined) return found;
  const done = new Set<Expr>(),
    next = followers(c.body);
  const expressions = (root: Expr, position: Position | undefined): void =>
    postOrder(root, done, e => {
      done.add(e);
      if (operandsOf(e).length === 0) return;
      for (const o of nodeOperators)
        for (const to of o.of(e)) add(o.name, position, `${textOf(e)} is ${textOf(to)}`, () => replaceNode(c, e, to));
    });
  for (const s of allStatements(c.body)) {
    for (const o of statementOperators)
      for (const f of o.of(s, next.get(s), c)) add(o.name, s.position, f.says, () => statementEdits(c, s, o.name, f));
    for (const root of rootsOf(s)) expressions(root, s.position);
  }
  for (const p of c.memories.flatMap(m => m.readPorts))
    for (const root of [p.address, ...(p.enable === undefined ? [] : [p.enable])]) expressions(root, p.position);
  for (const o of stateOperators) for (const f of o.of(c)) add(o.name, f.position, f.says, () => f.edits);
  return found;
}

const statementEdits = (c: Circuit, s: Stmt, operator: string, f: StatementFault): readonly Edit[] =>
  operator === "late" ? lateEdits(c, s) : replaceStatements(c, f.by);

/** Does something with the circuit while the fault is in it; afterwards the circuit is as before. */
export function withMutant<T>(c: Circuit, m: Pick<Mutant, "edits">, what: () => T): T {
  const edits = m.edits().map(({ holder, change }) => {
    const now = new Map(Object.entries(holder));
    return { holder, change, before: Object.fromEntries(Object.keys(change).map(k => [k, now.get(k)])) };
  });
  for (const e of edits) Object.assign(e.holder, e.change);
  forgetResolution(c);
  try {
    return what();
  } finally {
    for (const e of edits) Object.assign(e.holder, e.before);
    forgetResolution(c);
  }
}
