/** Statements under a clock, as the language has them: the last assignment wins, and what is not assigned stays. */
import { ir } from "../../../hdl-dsl/index.ts";
import { type Expressions, resized } from "./expressions.ts";
import { laneRun } from "./lanes.ts";
import type { Names } from "./names.ts";
import type { Expression, Statement } from "./syntax.ts";
import { assignBits, spread, targetsOf, widthOf, type Word } from "./targets.ts";
import { unreadable } from "./unreadable.ts";

const { concat, constant, unary } = ir.make;
/** Turns of a loop; more is a mistake. */
const MOST_TURNS = 65_536;

export class Clocked {
  readonly #names: Names;
  readonly #x: Expressions;
  readonly #domain: ir.ClockDomain;
  /** `domain`: of properties and memory writes; it has no reset, for the text says what reset does. */
  constructor(names: Names, x: Expressions, domain: ir.ClockDomain) {
    this.#names = names;
    this.#x = x;
    this.#domain = domain;
  }

  read(s: Statement): ir.Stmt[] {
    switch (s.kind) {
      case "block":
        return this.#block(s.body);
      case "assign":
        if (s.blocking) throw unreadable(s.at, "a blocking assignment under a clock");
        return this.#assign(s.target, s.value);
      case "if":
        return [
          {
            kind: "if",
            cond: this.#x.condition(s.cond),
            then: this.read(s.then),
            otherwise: s.otherwise === undefined ? [] : this.read(s.otherwise),
            position: undefined,
          },
        ];
      case "case":
        return this.#case(s);
      case "for":
        return this.#loop(s);
      case "task":
        return this.#block([s]);
    }
  }

  #block(body: readonly Statement[]): ir.Stmt[] {
    const out: ir.Stmt[] = [];
    for (let n = 0; n < body.length; n++) {
      const s = body[n] as Statement,
        next = body[n + 1];
      if (s.kind === "task") {
        const ends = s.name === "$display" && next?.kind === "task" && next.name === "$stop";
        if (ends) n++;
        else if (s.name !== "$stop") throw unreadable(s.at, `the task ${s.name}`);
        out.push(this.#failure(ends ? printed(s.args) : ""));
        continue;
      }
      const run = laneRun(body, n);
      if (run === undefined) {
        out.push(...this.read(s));
        continue;
      }
      out.push(...this.#lanes(run));
      n += run.length - 1;
    }
    return out;
  }

  #failure(text: string): ir.Stmt {
    const cond = constant(0n, 1);
    return {
      kind: "property",
      what: "assert",
      cond,
      message: "",
      printed: text,
      domain: this.#domain,
      position: undefined,
    };
  }

  #assign(target: Expression, from: Expression): ir.Stmt[] {
    const targets = targetsOf(target, this.#names, this.#x),
      value = this.#x.assigned(from, widthOf(targets));
    return [...spread(targets, value)].flatMap(([t, v]) =>
      t.kind === "bits" ? assignBits(t, v) : [this.#write(t, v)],
    );
  }

  /** Bits of a word are lanes of it: as wide as their place allows. */
  #write(t: Word, value: ir.Expr): ir.Stmt {
    const port = this.#port(t.memory),
      { address } = t;
    const all = { kind: "memWrite", port, address, position: undefined } as const;
    if (t.width === t.memory.width) return { ...all, data: value, mask: undefined };
    const lane = gcd(gcd(t.lo, t.width), t.memory.width),
      count = t.memory.width / lane;
    const data = [constant(0n, t.memory.width - t.lo - t.width), value, constant(0n, t.lo)].filter(p => p.width > 0);
    const mask = ((1n << BigInt(t.width / lane)) - 1n) << BigInt(t.lo / lane);
    return { ...all, data: concat(data), mask: constant(mask, count) };
  }
  #port(memory: ir.Memory): ir.WritePort {
    const port: ir.WritePort = { memory, domain: this.#domain, position: undefined };
    memory.writePorts.push(port);
    return port;
  }

  /** Lanes of one word, each under a condition of its own: one write with a mask. */
  #lanes(
    run: readonly { readonly cond: Expression | undefined; readonly target: Expression; readonly value: Expression }[],
  ): ir.Stmt[] {
    const lanes = run.map(l => ({ ...l, word: targetsOf(l.target, this.#names, this.#x)[0] as Word }));
    const { memory, address, width } = lanes[0]?.word as Word;
    const even = memory.width % width === 0 && lanes.every(l => l.word.width === width && l.word.lo % width === 0);
    if (!even || new Set(lanes.map(l => l.word.lo)).size < lanes.length)
      return lanes.flatMap(l => {
        const body = this.#assign(l.target, l.value);
        return l.cond === undefined
          ? body
          : [{ kind: "if", cond: this.#x.condition(l.cond), then: body, otherwise: [], position: undefined }];
      });
    const data: ir.Expr[] = [],
      mask: ir.Expr[] = [];
    for (let lo = memory.width - width; lo >= 0; lo -= width) {
      const l = lanes.find(x => x.word.lo === lo);
      data.push(l === undefined ? constant(0n, width) : this.#x.assigned(l.value, width));
      mask.push(l === undefined ? constant(0n, 1) : l.cond === undefined ? constant(1n, 1) : this.#x.condition(l.cond));
    }
    const port = this.#port(memory);
    return [{ kind: "memWrite", port, address, data: concat(data), mask: concat(mask), position: undefined }];
  }

  #case(s: Statement & { readonly kind: "case" }): ir.Stmt[] {
    const otherwise = s.otherwise === undefined ? [] : this.read(s.otherwise);
    const items = s.items.map(i => ({ body: this.read(i.body), labels: i.labels }));
    // As a case of the language where all labels are numbers of the subject's size; else one question after another.
    const on = this.#x.value(s.on),
      values = items.map(i => i.labels.map(l => this.#x.value(l)));
    const flat = values.flat(),
      plain = flat.every(v => v.kind === "const" && v.width === on.width && v.signed === on.signed);
    if (plain && new Set(flat.map(v => (v.kind === "const" ? v.value : 0n))).size === flat.length) {
      const cases = items.map((i, n) => ({ labels: values[n] ?? [], body: i.body }));
      return [{ kind: "switch", on, cases, otherwise, position: undefined }];
    }
    return items.reduceRight<ir.Stmt[]>((rest, i) => {
      const cond = i.labels.map(l => this.#x.equal(s.on, l)).reduce((a, b) => ir.make.binary("or", a, b));
      return [{ kind: "if", cond, then: i.body, otherwise: rest, position: undefined }];
    }, otherwise);
  }

  #loop(s: Statement & { readonly kind: "for" }): ir.Stmt[] {
    const out: ir.Stmt[] = [];
    for (const _ of this.turns(s)) out.push(...this.read(s.body));
    return out;
  }
  /** Each turn of a loop, with its variable set. */
  *turns(s: Statement & { readonly kind: "for" }): Generator<void> {
    const before = this.#names.find(s.variable);
    let value = this.#x.value(s.from);
    for (let n = 0; ; n++) {
      if (n > MOST_TURNS) throw unreadable(s.at, `a loop of more than ${MOST_TURNS} turns`);
      if (value.kind !== "const") throw unreadable(s.at, "a loop whose bounds are no constants");
      this.#names.set(s.variable, { kind: "constant", value: constant(value.value, 32, true) });
      const goes = this.#x.condition(s.cond);
      if (goes.kind !== "const") throw unreadable(s.at, "a loop whose bounds are no constants");
      if (goes.value === 0n) break;
      yield;
      value = resized(this.#x.value(s.step), 32);
    }
    if (before === undefined) this.#names.delete(s.variable);
    else this.#names.set(s.variable, before);
  }
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** The text of `$display("%s", "...")` and of `$display("...")`. */
function printed(args: readonly Expression[]): string {
  const texts = args.map(a => (a.kind === "string" ? a.text : ""));
  return texts.length > 1 && texts[0] === "%s" ? (texts[1] ?? "") : (texts[0] ?? "");
}

/** The opposite of a condition, for the branch that a reset leaves. */
export const not = (e: ir.Expr): ir.Expr => unary("not", e);
