/**
 * What a value was in the cycles before. In hardware a history is a chain of registers that reset clears: a value has
 * no past in reset, and n cycles of it in the cycle n after reset.
 */
import { originsOf } from "../check/index.ts";
import type { Circuit, ClockDomain, Position, Signal } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import * as make from "../ir/fold.ts";
import type { Shape } from "../types/shape.ts";
import type { Bit, Enum, Readable } from "../types/value.ts";
import { claimName, type Context, context, type History, report } from "./context.ts";
import { chooseName, type Init, initOf, leafName, makeSignal } from "./declare.ts";
import { userPosition } from "./position.ts";
import { bitOf, conditionOf, describe, Value } from "./value.ts";
import { leafExprs, shapeOf, view } from "./view.ts";

/** Name and first value of a history (`past`). */
export interface PastOptions<V = unknown> {
  /** Overrides the name, which is that of the value with `_was`. */
  readonly name?: string;
  /** Value in the cycles that have no past; default 0. */
  readonly init?: Init | (V extends Enum<string, infer M> ? M : never);
}

/** More cycles than any design looks back: each costs a register of the value's width. */
const FARTHEST = 1024;

/**
 * The value that `x` had `n` cycles ago (1 to 1024), of any shape, in the clock domain that `x` is of. In the first `n`
 * cycles after reset there is none, and it is `init`. Conditions around the call do not matter: every cycle counts.
 */
export function past<V>(x: V, n = 1, o: PastOptions<V> = {}): Readable<V> {
  const shape = shapeOf(x);
  if (shape === undefined) {
    report(
      "HDL103",
      `past: a value of the language is expected, got ${typeof x}`,
      "Wrap numbers with constant(value, width)",
    );
    return x as Readable<V>;
  }
  const kept = historiesOf(shape, x, o.init ?? 0, o.name),
    far = cyclesOf(n);
  const byOffset = new Map(kept.map(k => [k.offset, registerAt(k.history, far)]));
  return view(shape, l => new Value(make.read(byOffset.get(l.offset) as Signal))) as Readable<V>;
}

/** 1 from the cycle `n` on that has `n` cycles of the current clock domain before it, reset not counted. */
export function hasPast(n = 1): Bit {
  return bitOf(make.read(registerAt(started(context().domain), cyclesOf(n))));
}

/** The value is the same as one cycle ago. In the first cycle after reset it is 1: nothing has changed. */
export function stable(x: unknown): Bit {
  return bitOf(make.unary("not", difference(x, "stable")));
}

/** `stable` for where a past is known to be there: in the first cycle after reset it compares with 0. */
export function sameAsBefore(x: unknown, what: string): Bit {
  return bitOf(make.unary("not", difference(x, what, false)));
}

/** The value is another than one cycle ago. In the first cycle after reset it is 0. */
export function changed(x: unknown): Bit {
  return bitOf(difference(x, "changed"));
}

/** The bit is 1 and was 0 one cycle ago. In the first cycle after reset it is 0. */
export function rose(x: Bit): Bit {
  const now = conditionOf(x, "rose");
  return bitOf(make.binary("and", difference(x, "rose"), now));
}

/** The bit is 0 and was 1 one cycle ago. In the first cycle after reset it is 0. */
export function fell(x: Bit): Bit {
  const now = conditionOf(x, "fell");
  return bitOf(make.binary("and", difference(x, "fell"), make.unary("not", now)));
}

/** There is a past, when `guarded` asks for it, and `x` was another then. */
function difference(x: unknown, what: string, guarded = true): Expr {
  const shape = shapeOf(x);
  if (shape === undefined) {
    report(
      "HDL103",
      `${what}: a value of the language is expected, got ${typeof x}`,
      "Wrap numbers with constant(value, width)",
    );
    return make.constant(0n, 1);
  }
  const kept = historiesOf(shape, x);
  const differ = kept
    .map(k => make.binary("ne", k.history.value, make.read(registerAt(k.history, 1))))
    .reduce((a, b) => make.binary("or", a, b));
  const first = kept[0]?.history;
  return first === undefined || !guarded ? differ : make.binary("and", began(first), differ);
}

function cyclesOf(n: number): number {
  if (Number.isInteger(n) && n >= 1 && n <= FARTHEST) return n;
  report("HDL150", `past: ${n} cycles ago`, `Look back by a whole number of cycles, 1 to ${FARTHEST}`);
  return 1;
}

interface Kept {
  readonly offset: number;
  readonly history: History;
}

/** One history for each leaf; a value has one, however often it is asked for. */
function historiesOf(shape: Shape, x: unknown, first?: unknown, wanted?: string): Kept[] {
  const c = context(),
    position = userPosition(),
    leaves = leafExprs(shape, x, "past"),
    together = leaves.map(l => l.expr);
  return leaves.map(({ leaf, expr }) => {
    const init = first === undefined ? 0n : initOf(first, leaf, wanted ?? "past");
    const known = c.histories.find(h => h.value === expr && h.init === init && h.asked === c.domain);
    if (known !== undefined) return { offset: leaf.offset, history: known };
    const name =
      wanted !== undefined
        ? chooseName(leafName(wanted, leaf), "was", position)
        : expr.kind === "read"
          ? claimName(`${ownName(c, expr.signal)}_was`, position)
          : chooseName(undefined, "was", position);
    const history: History = {
      value: expr,
      init,
      registers: [],
      name,
      together,
      asked: c.domain,
      domain: domainNow(c, expr),
      began: undefined,
      position,
    };
    c.histories.push(history);
    return { offset: leaf.offset, history };
  });
}

/** The name of a signal as it was before its scope's prefix. */
const ownName = (c: Context, s: Signal): string =>
  c.prefix !== "" && s.name.startsWith(`${c.prefix}_`) ? s.name.slice(c.prefix.length + 1) : s.name;

/**
 * The domain of a value while the body runs: the module's only one so far. With others about, or for what another
 * domain may yet drive, the finished module tells.
 */
function domainNow(c: Context, value: Expr): ClockDomain | undefined {
  if (value.kind !== "const" && [...c.domains].some(d => d !== c.domain)) return undefined;
  c.domains.add(c.domain);
  return withReset(c.domain, value, userPosition());
}

function withReset(domain: ClockDomain, value: Expr, at: Position | undefined): ClockDomain {
  if (domain.reset === undefined)
    report(
      "HDL151",
      `${describe(value)} has no past in clock domain \`${domain.name}\`, which has no reset: no cycle is its first`,
      "Give the domain a reset, or keep the value in a register of your own",
      undefined,
      at,
    );
  return domain;
}

function registerAt(h: History, n: number): Signal {
  const c = context();
  while (h.registers.length < n) {
    const before = h.registers.at(-1),
      k = h.registers.length + 1;
    const { signal } = makeSignal({
      kind: "reg",
      name: k === 1 ? h.name : claimName(`${ownName(c, { name: h.name } as Signal)}_${k}`, h.position),
      width: h.value.width,
      signed: h.value.signed,
      domain: h.domain,
      position: h.position,
      init: h.init,
    });
    c.top.push({
      kind: "assign",
      target: signal,
      lo: 0,
      width: h.value.width,
      value: before === undefined ? h.value : make.read(before),
      position: h.position,
    });
    h.registers.push(signal);
  }
  return h.registers[n - 1] as Signal;
}

/** The history of 1 in a domain: how many cycles there have been. */
function started(domain: ClockDomain): History {
  const c = context(),
    value = make.constant(1n, 1);
  const known = c.histories.find(h => h.value.kind === "const" && h.counts === true && h.asked === domain);
  if (known !== undefined) return known;
  c.domains.add(domain);
  const h: History = {
    value,
    init: 0n,
    registers: [],
    name: claimName(domain.name === "default" ? "has_past" : `${domain.name}_has_past`, userPosition()),
    together: [value],
    asked: domain,
    domain: withReset(domain, value, userPosition()),
    began: undefined,
    counts: true,
    position: userPosition(),
  };
  c.histories.push(h);
  return h;
}

function began(h: History): Expr {
  if (h.domain !== undefined) return make.read(registerAt(started(h.domain), 1));
  h.began ??= makeSignal({
    kind: "wire",
    name: claimName(`${h.name}_began`, h.position),
    width: 1,
    signed: false,
    position: h.position,
  }).signal;
  return make.read(h.began);
}

/** Gives each history whose domain was open that of its value. `circuit`: the module, finished but for them. */
export function settleHistories(c: Context, circuit: Circuit): void {
  for (const h of [...c.histories]) {
    if (h.domain !== undefined) continue;
    // A copy each time: what is found out about a circuit is kept, and this one is not finished.
    const draft = { ...circuit },
      names = new Set(h.together.flatMap(e => [...originsOf(draft, e)])),
      all = [...names].map(n => [...c.domains].find(d => d.name === n) ?? h.asked);
    if (all.length > 1)
      report(
        "HDL151",
        `${describe(h.value)} has no past of its own: it comes from clock domains \`${[...names].sort().join("` and `")}\``,
        "Bring its parts into one clock domain first, with a synchroniser or an asynchronous FIFO",
        undefined,
        h.position,
      );
    h.domain = withReset(all[0] ?? h.asked, h.value, h.position);
    c.domains.add(h.domain);
    for (const r of h.registers) r.domain = h.domain;
    if (h.began !== undefined)
      c.top.push({
        kind: "assign",
        target: h.began,
        lo: 0,
        width: 1,
        value: make.read(registerAt(started(h.domain), 1)),
        position: h.position,
      });
  }
}
