/**
 * Pipelines that carry their fields along: a field that a later stage uses is delayed for it; a field that none
 * uses costs nothing.
 */
import { bit, type Fields, type StructShape } from "../types/shape.ts";
import type { Bit, FieldsOf, StreamIn, StreamOut, Val } from "../types/value.ts";
import { atTop, isTaken, report } from "../build/context.ts";
import { node, reg } from "../build/declare.ts";
import { sourceName } from "../build/position.ts";
import { when } from "../build/statements.ts";
import { didYouMean } from "../build/suggest.ts";
import { constant, exprOf } from "../build/value.ts";
import { assignView, shapeOf } from "../build/view.ts";

type ValsOf<F> = { readonly [K in keyof F]: Val<F[K]> };
type Has<F, T> =
  FieldsOf<F, T> extends infer R
    ? { [K in keyof R as unknown extends R[K] ? never : K]: R[K] } extends infer Bad
      ? keyof Bad extends never
        ? unknown
        : Bad
      : never
    : never;

/** A pipeline under construction: its fields so far, and what is done with them next. */
export interface Pipe<T> {
  /** Cycles from the source to here when nothing stalls; the initiation interval is 1. */
  readonly latency: number;
  /** One more register stage: `f` computes from the fields so far, its results are registered and join them. */
  stage<R extends { readonly [name: string]: unknown }>(f: (v: T) => R): Pipe<Omit<T, keyof R> & R>;
  /** Connects valid, ready and, by name, every field of the target. */
  into<F extends Fields>(to: StreamOut<StructShape<F>> & Has<F, T>): void;
}

interface Stage {
  readonly valid: Bit;
  readonly advance: Bit;
  field(name: string): unknown;
  readonly names: ReadonlySet<string>;
  readonly setRoom: (room: Bit) => void;
}

/**
 * A pipeline fed by a stream of a struct. A stage moves on when the next one is empty or moves itself,
 * so bubbles close.
 * @param o.name what the stages' names begin with; default: that of the constant
 */
export function pipeline<F extends Fields>(
  from: StreamIn<StructShape<F>>,
  o: { readonly name?: string } = {},
): Pipe<ValsOf<F>> {
  const prefix = o.name ?? sourceName()?.name ?? (isTaken("s1_valid") ? streamName(from) : undefined);
  const payload = from.payload;
  const first: Stage = {
    valid: from.valid,
    advance: from.fire,
    names: new Set(Object.keys(payload)),
    field: n => payload[n],
    setRoom: room => from.ready.set(room),
  };
  return pipe(first, 0, prefix === undefined ? "" : `${prefix}_`) as Pipe<ValsOf<F>>;
}

/** Name that tells a second pipeline of a module apart, when the source names neither. */
function streamName(from: StreamIn<unknown>): string | undefined {
  const e = exprOf(from.valid);
  return e.kind === "read" ? e.signal.name.replace(/_valid$/, "") : undefined;
}

function fieldsObject(s: Stage): Record<string, unknown> {
  const o: Record<string, unknown> = {};
  for (const n of s.names) Object.defineProperty(o, n, { enumerable: true, get: () => s.field(n) });
  return o;
}

function pipe(last: Stage, latency: number, prefix: string): Pipe<Record<string, unknown>> {
  return {
    latency,
    stage: f => pipe(nextStage(last, latency + 1, prefix, f(fieldsObject(last))), latency + 1, prefix) as never,
    into: to => {
      const target = to;
      const out: Record<string, unknown> = {};
      for (const n of Object.keys(target.shape.fields)) {
        if (last.names.has(n)) out[n] = last.field(n);
        else {
          report(
            "HDL120",
            `the pipeline has no field ${n} at its last stage`,
            `${didYouMean(n, [...last.names])}Its fields are ${[...last.names].join(", ")}`,
          );
          out[n] = target.payload[n];
        }
      }
      target.valid.set(last.valid);
      assignView(target.payload, out, "payload");
      last.setRoom(target.ready);
    },
  };
}

function nextStage(before: Stage, number: number, prefix: string, made: Readonly<Record<string, unknown>>): Stage {
  const valid = reg(bit, { init: 0, name: `${prefix}s${number}_valid` });
  let room: Bit | undefined;
  const fields = new Map<string, unknown>();
  const pending: (() => void)[] = [];
  // Built once the room is known (the stages after this one decide it), and for carried fields on their first use.
  const capture = (name: string, value: unknown): unknown => {
    const shape = shapeOf(value);
    if (shape === undefined) {
      report(
        "HDL119",
        `the field ${name} of the pipeline stage is ${typeof value === "object" ? "an object of JavaScript" : `a ${typeof value}`}, not a value of the language`,
        "Give a value; wrap numbers with constant(value, width)",
      );
      fields.set(name, constant(0, 1));
      return fields.get(name);
    }
    const r = reg(shape, { name: `${prefix}s${number}_${name}` });
    const drive = (): void =>
      atTop(() => {
        when(before.valid.and(room as Bit), () => assignView(r, value, name));
      });
    if (room === undefined) pending.push(drive);
    else drive();
    fields.set(name, r);
    return r;
  };
  for (const [n, v] of Object.entries(made)) capture(n, v);
  return {
    valid: valid,
    get advance(): Bit {
      return room as Bit;
    },
    names: new Set([...before.names, ...Object.keys(made)]),
    field: n => fields.get(n) ?? capture(n, before.field(n)),
    setRoom: nextRoom => {
      const r: Bit = node(valid.not().or(nextRoom), { name: `${prefix}s${number}_ready` });
      room = r;
      when(r, () => valid.set(before.valid));
      before.setRoom(r);
      for (const p of pending.splice(0)) p();
    },
  };
}
