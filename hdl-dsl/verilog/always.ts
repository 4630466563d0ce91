/**
 * Clocked statements: the registers that share an `always` block, and the block's text with the branches that
 * matter to it.
 */
import type { Assign, Circuit, ClockDomain, If, Property, Signal, Stmt, Switch } from "../ir/circuit.ts";
import { ExprIds } from "../ir/intern.ts";

/**
 * Registers that one `always` block drives: of one domain, all with a reset value or all without, joined by the
 * conditions they share.
 */
export interface RegisterGroup {
  readonly domain: ClockDomain;
  readonly reset: boolean;
  readonly registers: readonly Signal[];
  readonly body: readonly Stmt[];
}

/** Properties of one domain with the conditions around them. */
export interface PropertyGroup {
  readonly domain: ClockDomain;
  readonly body: readonly Stmt[];
}

/** The registers of each statement of the body, nested statements included. */
function registersIn(s: Stmt, into: Set<Signal>): void {
  if (s.kind === "assign") {
    if (s.target.kind === "reg") into.add(s.target);
  } else if (s.kind === "if") {
    for (const t of s.then) registersIn(t, into);
    for (const t of s.otherwise) registersIn(t, into);
  } else if (s.kind === "switch") {
    for (const c of s.cases) for (const t of c.body) registersIn(t, into);
    for (const t of s.otherwise ?? []) registersIn(t, into);
  }
}

/**
 * Splits statements by the key of the assignments or properties in them; each key keeps only the branches that
 * lead to it. Every statement is copied once per key that lives in it, so the result is linear in the assignments
 * times their nesting.
 */
function splitBy<K>(body: readonly Stmt[], keyOf: (s: Assign | Property) => K | undefined): Map<K, Stmt[]> {
  const out = new Map<K, Stmt[]>();
  const add = (k: K, s: Stmt): void => {
    const list = out.get(k);
    if (list === undefined) out.set(k, [s]);
    else list.push(s);
  };
  for (const s of body) {
    switch (s.kind) {
      case "assign":
      case "property": {
        const k = keyOf(s);
        if (k !== undefined) add(k, s);
        break;
      }
      case "memWrite":
        break;
      case "if": {
        const then = splitBy(s.then, keyOf),
          otherwise = splitBy(s.otherwise, keyOf);
        for (const k of new Set([...then.keys(), ...otherwise.keys()]))
          add(k, { ...s, then: then.get(k) ?? [], otherwise: otherwise.get(k) ?? [] });
        break;
      }
      case "switch": {
        const cases = s.cases.map(c => ({ labels: c.labels, split: splitBy(c.body, keyOf) }));
        const otherwise = splitBy(s.otherwise ?? [], keyOf);
        const keys = new Set([...cases.flatMap(c => [...c.split.keys()]), ...otherwise.keys()]);
        for (const k of keys) {
          const last = otherwise.get(k);
          // A case without effect may go unless it keeps the default away.
          const kept = cases
            .filter(c => last !== undefined || c.split.has(k))
            .map(c => ({ labels: c.labels, body: c.split.get(k) ?? [] }));
          add(k, { ...s, cases: kept, otherwise: last });
        }
      }
    }
  }
  return out;
}

/** Registers that are never assigned keep their reset value: a group of their own per domain. */
export function registerGroups(circuit: Circuit): RegisterGroup[] {
  const parent = new Map<Signal, Signal>();
  const find = (s: Signal): Signal => {
    let root = s;
    for (let p = parent.get(root); p !== undefined && p !== root; p = parent.get(root)) root = p;
    for (let at = s; at !== root;) {
      const next = parent.get(at) ?? root;
      parent.set(at, root);
      at = next;
    }
    return root;
  };
  const kindOf = (s: Signal): string => `${s.domain?.name ?? ""}/${s.init !== undefined}`;
  for (const s of circuit.body) {
    if (s.kind === "assign") continue;
    const here = new Set<Signal>();
    registersIn(s, here);
    const firsts = new Map<string, Signal>();
    for (const r of here) {
      const first = firsts.get(kindOf(r));
      if (first === undefined) firsts.set(kindOf(r), r);
      else parent.set(find(r), find(first));
    }
  }
  // Registers that no condition touches go together.
  const conditional = new Set<Signal>();
  for (const s of circuit.body) if (s.kind !== "assign") registersIn(s, conditional);
  const loose = new Map<string, Signal>();
  for (const r of circuit.signals) {
    if (r.kind !== "reg" || conditional.has(r)) continue;
    const first = loose.get(kindOf(r));
    if (first === undefined) loose.set(kindOf(r), r);
    else parent.set(find(r), find(first));
  }
  const bodies = splitBy<Signal>(circuit.body, s =>
    s.kind === "assign" && s.target.kind === "reg" ? find(s.target) : undefined,
  );
  const members = new Map<Signal, Signal[]>();
  for (const r of circuit.signals) {
    if (r.kind !== "reg") continue;
    const root = find(r),
      list = members.get(root);
    if (list === undefined) members.set(root, [r]);
    else list.push(r);
  }
  const groups = new Map<
    string,
    { readonly domain: ClockDomain; readonly reset: boolean; readonly registers: Signal[]; bodies: Stmt[][] }
  >();
  const ids = new ExprIds();
  for (const [root, registers] of members) {
    if (root.domain === undefined) throw new Error(`register "${root.name}" has no clock domain`);
    const body = bodies.get(root) ?? [];
    const key = `${kindOf(root)}/${skeleton(body, ids)}`;
    const same = groups.get(key);
    if (same === undefined)
      groups.set(key, { domain: root.domain, reset: root.init !== undefined, registers, bodies: [body] });
    else {
      same.registers.push(...registers);
      same.bodies.push(body);
    }
  }
  return [...groups.values()].map(g => ({
    domain: g.domain,
    reset: g.reset,
    registers: g.registers,
    body: weave(g.bodies),
  }));
}

/** The control of a body without its assignments: equal texts mean that two bodies branch alike. */
function skeleton(body: readonly Stmt[], ids: ExprIds): string {
  const parts: string[] = [];
  for (const s of body) {
    if (s.kind === "if") parts.push(`if${ids.of(s.cond)}{${skeleton(s.then, ids)}}{${skeleton(s.otherwise, ids)}}`);
    else if (s.kind === "switch") {
      const cases = s.cases.map(c => `${c.labels.map(l => ids.of(l)).join()}{${skeleton(c.body, ids)}}`).join("");
      parts.push(
        `switch${ids.of(s.on)}${cases}${s.otherwise === undefined ? "" : `default{${skeleton(s.otherwise, ids)}}`}`,
      );
    }
  }
  return parts.join(";");
}

/** Bodies of one skeleton as one. The bodies assign different registers, so only the order within each matters. */
function weave(bodies: readonly (readonly Stmt[])[]): Stmt[] {
  if (bodies.length === 1) return [...(bodies[0] as readonly Stmt[])];
  const out: Stmt[] = [];
  const at = bodies.map(() => 0);
  for (;;) {
    const ifs: If[] = [],
      switches: Switch[] = [];
    bodies.forEach((b, i) => {
      for (let n = at[i] as number; n < b.length; n++) {
        const s = b[n] as Stmt;
        at[i] = n + 1;
        if (s.kind === "if") {
          ifs.push(s);
          return;
        }
        if (s.kind === "switch") {
          switches.push(s);
          return;
        }
        out.push(s);
      }
    });
    const firstIf = ifs[0],
      firstSwitch = switches[0];
    if (firstIf !== undefined)
      out.push({ ...firstIf, then: weave(ifs.map(s => s.then)), otherwise: weave(ifs.map(s => s.otherwise)) });
    else if (firstSwitch !== undefined) {
      const cases = firstSwitch.cases.map((c, i) => ({
        labels: c.labels,
        body: weave(switches.map(s => s.cases[i]?.body ?? [])),
      }));
      out.push({
        ...firstSwitch,
        cases,
        otherwise: firstSwitch.otherwise === undefined ? undefined : weave(switches.map(s => s.otherwise ?? [])),
      });
    } else return out;
  }
}

export function propertyGroups(circuit: Circuit): PropertyGroup[] {
  const bodies = splitBy<ClockDomain>(circuit.body, s => (s.kind === "property" ? s.domain : undefined));
  return [...bodies].map(([domain, body]) => ({ domain, body }));
}
