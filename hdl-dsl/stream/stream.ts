/**
 * Streams inside a module: declaration, connection and the combinators without state. AXI rules: valid never waits for
 * ready, a stalled payload stays.
 */
import type { Signal } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import type { Fields, Shape, StructShape } from "../types/shape.ts";
import type { Bit, Given, Stream, StreamIn, Times, UInt, Val } from "../types/value.ts";
import { context } from "../build/context.ts";
import { chooseName, leafName, makeSignal } from "../build/declare.ts";
import { streamObject } from "../build/module.ts";
import { nameHere, userPosition } from "../build/position.ts";
import { assignView, leafExprs, view } from "../build/view.ts";
import { constant, Value } from "../build/value.ts";

/**
 * A stream of wires: one side drives valid and payload, the other ready. Named from the source, or explicitly.
 * @param o.name of the stream; default: that of the constant
 */
export function stream<const S extends Shape>(shape: S, o: { readonly name?: string } = {}): Stream<S> {
  const c = context(),
    position = userPosition();
  const name = chooseName(o.name, "stream", position);
  const valid = makeSignal({ kind: "wire", name: `${name}_valid`, width: 1, signed: false, position, role: "valid" });
  const ready = makeSignal({
    kind: "wire",
    name: `${name}_ready`,
    width: 1,
    signed: false,
    position,
    role: "ready",
    mayBeUnread: true,
  });
  const payloads: Signal[] = [];
  const payload = view(shape, l => {
    const v = makeSignal({
      kind: "wire",
      name: leafName(`${name}_payload`, l),
      width: l.width,
      signed: l.signed,
      position,
      role: "payload",
      mayBeUnread: true,
    });
    payloads.push(v.signal);
    return v;
  });
  c.streams.push({ name, dir: "inner", valid: valid.signal, ready: ready.signal, payload: payloads });
  return streamObject(shape, valid, ready, payload) as Stream<S>;
}

/**
 * The same transfers with another payload; no state, no latency.
 * @param o.name of the output; default: that of the constant
 */
export function map<S extends Shape, const T extends Shape>(
  from: StreamIn<S>,
  shape: T,
  f: (v: Val<S>) => Given<T>,
  o: { readonly name?: string } = {},
): StreamIn<T> {
  const out = stream(shape, nameOf(o, "mapped"));
  out.valid.set(from.valid);
  assignGiven(out.payload, shape, f(from.payload));
  from.ready.set(out.ready);
  return out;
}

/** Drives a view from values or numbers, leaf by leaf. */
export function assignGiven(target: unknown, shape: Shape, v: unknown): void {
  const exprs = leafExprs(shape, v, "payload");
  const byOffset = new Map(exprs.map(x => [x.leaf.offset, x.expr]));
  assignView(
    target,
    view(shape, l => new Value(byOffset.get(l.offset) as Expr)),
    "payload",
  );
}

/**
 * Drops the transfers whose payload fails the test; they are consumed at once.
 * @param o.name of the output; default: that of the constant
 */
export function filter<S extends Shape>(
  from: StreamIn<S>,
  keep: (v: Val<S>) => Bit,
  o: { readonly name?: string } = {},
): StreamIn<S> {
  const out = stream(from.shape, nameOf(o, "filtered"));
  const kept = keep(from.payload);
  out.valid.set(from.valid.and(kept));
  assignView(out.payload, from.payload, "payload");
  from.ready.set(out.ready.or(kept.not()));
  return out;
}

/**
 * Lets transfers pass only while `open` is 1. Closing while a transfer waits would withdraw valid: `open` must hold
 * until it fires.
 * @param o.name of the output; default: that of the constant
 */
export function gate<S extends Shape>(from: StreamIn<S>, open: Bit, o: { readonly name?: string } = {}): StreamIn<S> {
  const out = stream(from.shape, nameOf(o, "gated"));
  out.valid.set(from.valid.and(open));
  assignView(out.payload, from.payload, "payload");
  from.ready.set(out.ready.and(open));
  return out;
}

type Joined<T> = StructShape<{ readonly [K in keyof T]: T[K] extends StreamIn<infer S extends Shape> ? S : never }>;

/**
 * One transfer of each input makes one of the output: a struct with one field per input. No latency.
 * @param o.name of the output; default: that of the constant
 */
export function join<const T extends { readonly [name: string]: StreamIn<Shape> }>(
  from: T,
  o?: { readonly name?: string },
): StreamIn<Joined<T>>;
export function join(
  from: { readonly [name: string]: StreamIn<Shape> },
  o: { readonly name?: string } = {},
): StreamIn<StructShape> {
  const fields: Fields = Object.fromEntries(Object.entries(from).map(([n, s]) => [n, s.shape]));
  const shape: StructShape = { kind: "struct", fields };
  const out = stream(shape, nameOf(o, "joined"));
  const entries = Object.entries(from);
  const allValid = entries.map(([, s]) => s.valid).reduce((a, b) => a.and(b));
  out.valid.set(allValid);
  for (const [n, s] of entries) {
    assignView(out.payload[n], s.payload, n);
    s.ready.set(out.ready.and(allValid));
  }
  return out;
}

/**
 * Sends each transfer to output number `select`; a number past the last output is consumed and dropped.
 * @param o.name of the outputs; default: that of the constant
 */
export function demux<S extends Shape, const N extends number>(
  from: StreamIn<S>,
  select: UInt,
  count: N,
  o?: { readonly name?: string },
): Times<StreamIn<S>, N>;
export function demux<S extends Shape>(
  from: StreamIn<S>,
  select: UInt,
  count: number,
  o: { readonly name?: string } = {},
): StreamIn<S>[] {
  const base = nameOf(o, "demuxed").name;
  const outs = Array.from({ length: count }, (_, i) => stream(from.shape, { name: `${base}_${i}` }));
  const chosen = outs.map((_, i) => select.eq(i));
  outs.forEach((out, i) => {
    out.valid.set(from.valid.and(chosen[i] as Bit));
    assignView(out.payload, from.payload, "payload");
  });
  const none: Bit = 2 ** select.width > count ? chosen.reduce((a, b) => a.or(b)).not() : constant(0, 1);
  from.ready.set(outs.map((out, i) => out.ready.and(chosen[i] as Bit)).reduce((a, b) => a.or(b), none));
  return outs;
}

export const nameOf = (o: { readonly name?: string }, fallback: string): { readonly name: string } => ({
  name: o.name ?? nameHere(fallback),
});
