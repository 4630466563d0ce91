/** Packets: marking their end by count, putting headers before them and taking headers off. */
import { bitsFor } from "../types/bits.ts";
import { bit, type Shape, struct, type StructShape, uint, type UIntShape } from "../types/shape.ts";
import type { Bit, StreamIn, UInt, Val } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { mux, when } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { assignGiven, map, nameOf, stream } from "./stream.ts";

/** The shape of something and whether it is the last of its packet. */
export type Framed<S extends Shape> = StructShape<{ readonly value: S; readonly last: UIntShape<1> }>;
/** Something, and whether it is the last of its packet. */
export const framed = <const S extends Shape>(shape: S): Framed<S> => struct({ value: shape, last: bit });

interface Named {
  readonly name?: string;
}

/**
 * Makes packets of `beats` transfers each: every `beats`-th is marked as the last one. A value (1 or more; 0 counts as
 * its largest plus
 * 1) must hold during a packet. Latency 0, initiation interval 1.
 */
export function packetise<S extends Shape>(
  from: StreamIn<S>,
  beats: number | UInt,
  o: Named = {},
): StreamIn<Framed<S>> {
  const { name } = nameOf(o, "packetised");
  const final: UInt = typeof beats === "number" ? constant(beats - 1, bitsFor(beats - 1)) : beats.sub(1);
  const index = reg(uint(final.width), { init: 0, name: `${name}_index` });
  const last = node(index.eq(final), { name: `${name}_ends` });
  when(from.fire, () => index.set(mux(last, constant(0, index.width), index.add(1))));
  return map(from, framed(from.shape), v => ({ value: v, last }), { name });
}

/** Whether the next transfer of a stream begins a packet. */
function atStart(fire: Bit, last: Bit, name: string): Bit {
  const within = reg(bit, { init: 0, name: `${name}_within` });
  when(fire, () => within.set(last.not()));
  return within.not();
}

/**
 * Puts a packet of `header` (one beat or more) before each packet of `body`: the two become one packet, header first.
 * `last` is the name of the one-bit field that marks the last beat; the header's is cleared. Latency 0, initiation
 * interval 1. A header without a body waits after its last beat; a body waits for its header.
 */
export function insertHeader<F extends { readonly [name: string]: Shape }, L extends keyof F & string>(
  header: StreamIn<StructShape<F>>,
  body: StreamIn<NoInfer<StructShape<F>>>,
  last: L,
  o: Named = {},
): StreamIn<StructShape<F>> {
  const { name } = nameOf(o, "headed");
  const ends = (v: unknown): Bit => (v as Readonly<Record<string, Bit>>)[last] as Bit;
  const inBody = reg(bit, { init: 0, name: `${name}_in_body` });
  const out = stream(header.shape, { name });
  out.valid.set(mux(inBody, body.valid, header.valid));
  const fields = Object.keys(header.shape.fields);
  const beat = mux<unknown, unknown>(inBody, body.payload, header.payload) as Readonly<Record<string, unknown>>;
  assignGiven(
    out.payload,
    header.shape,
    Object.fromEntries(fields.map(f => [f, f === last ? ends(body.payload).and(inBody) : beat[f]])),
  );
  header.ready.set(out.ready.and(inBody.not()));
  body.ready.set(out.ready.and(inBody));
  when(header.fire.and(ends(header.payload)), () => inBody.set(1)).elseWhen(body.fire.and(ends(body.payload)), () =>
    inBody.set(0),
  );
  return out;
}

/**
 * Takes the first `beats` transfers of each packet apart: they leave by `header`, the others by `body`. A packet of no
 * more than `beats` has no body; `last` marks the last beat of a packet, and stays as it is. Latency 0, initiation
 * interval 1. A user of the body alone keeps `header.ready` at 1.
 */
export function splitHeader<S extends Shape>(
  from: StreamIn<S>,
  beats: number,
  last: (v: Val<S>) => Bit,
  o: Named = {},
): { readonly header: StreamIn<S>; readonly body: StreamIn<S> } {
  if (!Number.isInteger(beats) || beats < 1)
    throw new RangeError(`splitHeader: a header of ${beats} beats is not a whole number of 1 or more`);
  const { name } = nameOf(o, "split");
  const ends = last(from.payload);
  const header = stream(from.shape, { name: `${name}_header` }),
    body = stream(from.shape, { name: `${name}_body` });
  let inHeader: Bit;
  if (beats === 1) inHeader = atStart(from.fire, ends, name);
  else {
    const index = reg(uint(bitsFor(beats)), { init: 0, name: `${name}_index` });
    inHeader = node(index.ne(beats), { name: `${name}_in_header` });
    when(from.fire, () => when(ends, () => index.set(0)).elseWhen(inHeader, () => index.set(index.add(1))));
  }
  for (const [out, mine] of [
    [header, inHeader],
    [body, inHeader.not()],
  ] as const) {
    out.valid.set(from.valid.and(mine));
    assignGiven(out.payload, from.shape, from.payload);
  }
  from.ready.set(mux(inHeader, header.ready, body.ready));
  return { header, body };
}

/**
 * Packets without their first `beats` transfers; a packet of no more than `beats` vanishes. Latency 0,
 * initiation interval 1.
 */
export function removeHeader<S extends Shape>(
  from: StreamIn<S>,
  beats: number,
  last: (v: Val<S>) => Bit,
  o: Named = {},
): StreamIn<S> {
  const { header, body } = splitHeader(from, beats, last, nameOf(o, "bare"));
  header.ready.set(1);
  return body;
}
