/** Neighbouring statements that write lanes of one word of a memory. */
import type { Always, Expression, Statement } from "./syntax.ts";

export interface Lane {
  readonly cond: Expression | undefined;
  readonly target: Expression;
  readonly value: Expression;
}

/** The text of an expression's structure: equal ones are the same value. */
export const textOf = (e: Expression): string =>
  JSON.stringify(e, (key, v: unknown) => (key === "at" ? undefined : typeof v === "bigint" ? v.toString() : v));

/** Those from `from` on, two or more; undefined when there are none. */
export function laneRun(body: readonly Statement[], from: number): readonly Lane[] | undefined {
  const run: Lane[] = [];
  let word: string | undefined;
  for (let n = from; n < body.length; n++) {
    const lane = laneOf(body[n] as Statement),
      of = lane === undefined ? undefined : wordOf(lane.target);
    if (lane === undefined || of === undefined) break;
    const text = textOf(of);
    if (text !== (word ??= text)) break;
    run.push(lane);
  }
  return run.length < 2 ? undefined : run;
}

/** A block that writes nothing but lanes of one word: the lanes, and what all of it has in common as text. */
interface LaneBlock {
  readonly at: Always;
  readonly common: string;
  readonly lanes: readonly Statement[];
}

/** Blocks in a row that write lanes of one word are one: the emitter gives a block no more than eight lanes. */
export function joinedLanes(all: readonly Always[]): readonly Always[] {
  const out: Always[] = [];
  let run: LaneBlock[] = [];
  const flush = (): void => {
    out.push(...(run.length < 2 ? run.map(b => b.at) : [joined(run)]));
    run = [];
  };
  for (const always of all) {
    const block = laneBlock(always);
    if (block === undefined || block.common !== run[0]?.common) flush();
    if (block === undefined) out.push(always);
    else run.push(block);
  }
  flush();
  return out;
}

function laneBlock(always: Always): LaneBlock | undefined {
  const outer = unwrapped(always.body);
  const under = outer.kind === "if" && outer.otherwise === undefined && laneOf(outer) === undefined ? outer : undefined;
  const lanes = statementsOf(under?.then ?? outer);
  const words = lanes.map(s => {
    const lane = laneOf(s);
    return lane === undefined ? undefined : wordOf(lane.target);
  });
  const word = words[0];
  if (word === undefined) return undefined;
  const text = textOf(word);
  if (!words.every(w => w !== undefined && textOf(w) === text)) return undefined;
  const clock = always.events.map(e => `${e.edge} ${e.name}`).join(" ");
  return { at: always, common: [clock, under === undefined ? "" : textOf(under.cond), text].join("\n"), lanes };
}

function joined(run: readonly LaneBlock[]): Always {
  const first = (run[0] as LaneBlock).at,
    outer = unwrapped(first.body),
    body: Statement = { kind: "block", body: run.flatMap(b => b.lanes), at: outer.at };
  const under = outer.kind === "if" && laneOf(outer) === undefined;
  return { ...first, body: under ? { ...outer, then: body } : body };
}

/** A block of one statement is that statement. */
function unwrapped(s: Statement): Statement {
  return s.kind === "block" && s.body.length === 1 ? unwrapped(s.body[0] as Statement) : s;
}
const statementsOf = (s: Statement): readonly Statement[] => (s.kind === "block" ? s.body : [s]);

/** `if (mask[n]) store[address][15:8] <= ...;` */
function laneOf(s: Statement): Lane | undefined {
  if (s.kind === "assign") return s.blocking ? undefined : { cond: undefined, target: s.target, value: s.value };
  if (s.kind === "block" && s.body.length === 1) return laneOf(s.body[0] as Statement);
  if (s.kind !== "if" || s.otherwise !== undefined) return undefined;
  const inner = laneOf(s.then);
  return inner === undefined || inner.cond !== undefined ? undefined : { ...inner, cond: s.cond };
}

/** The word that a lane is of: a select of a select. */
function wordOf(target: Expression): Expression | undefined {
  const selects = target.kind === "range" || target.kind === "bit" || target.kind === "part";
  return selects && target.of.kind === "bit" ? target.of : undefined;
}
