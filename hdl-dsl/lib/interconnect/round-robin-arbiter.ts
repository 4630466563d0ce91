import { mergePorts, portArray, portOf, sink, source, type StreamPort } from "../../types/ports.ts";
import { type Shape, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { type Def, module } from "../../build/module.ts";
import { constant } from "../../build/value.ts";
import { arbiter } from "../../stream/arbiter.ts";
import { connectAny } from "../../stream/connect.ts";
import { map } from "../../stream/stream.ts";
import { addressBits } from "../../types/bits.ts";
/** How many streams of which shape meet, and whether packets stay whole. */
export interface RoundRobinArbiterParameters<S extends Shape = Shape, N extends number = number> {
  /** Of a transfer. */ readonly shape: S;
  /** Streams to merge, 1 or more: ports `from0`, `from1`, ... */
  readonly sources: N;
  /**
   * The name of a one-bit field of the shape that marks the last beat of a packet: packets then stay whole. Left out:
   * every transfer stands alone.
   */
  readonly last?: string;
}

/** A value, and the number of the stream that it came by. */
const Tagged = <const S extends Shape>(
  shape: S,
  sources: number,
): StructShape<{ readonly from: UIntShape; readonly value: S }> =>
  struct({ from: uint(addressBits(sources)), value: shape });

const definition = module(
  "RoundRobinArbiter",
  (p: RoundRobinArbiterParameters) =>
    mergePorts(portArray("from", p.sources, sink(p.shape)), { to: source(Tagged(p.shape, p.sources)) }),
  (io, p) => {
    const shape = Tagged(p.shape, p.sources),
      last = p.last;
    const tagged = Array.from({ length: p.sources }, (_, i) =>
      map(portOf(io, "from", i), shape, v => ({ from: constant(i, addressBits(p.sources)), value: v }), {
        name: `tagged_${i}`,
      }),
    );
    connectAny(
      arbiter(tagged, {
        name: "merge",
        ...(last === undefined ? {} : { last: v => (v.value as Readonly<Record<string, Bit>>)[last] as Bit }),
      }),
      io.to,
    );
  },
);

/** 0 | 1 | ... | N - 1 */
type Below<N extends number, T extends readonly number[] = []> = number extends N
  ? number
  : T["length"] extends N
    ? T[number]
    : Below<N, [...T, T["length"]]>;
/** Its ports: `from0` and up, and `to`. */
export type RoundRobinArbiterPorts<S extends Shape, N extends number> = {
  readonly [From in `from${Below<N>}`]: StreamPort<"in", S>;
} & {
  readonly to: StreamPort<"out", StructShape<{ readonly from: UIntShape; readonly value: S }>>;
};

/**
 * Merges streams fairly: the source after the one served last goes first. So no source waits for more than
 * `sources - 1` transfers (packets, when `last` is given). Latency 0, initiation interval 1, no storage. Stalled: the
 * choice stays, so the payload stays. Between the beats of a packet no other source is granted. Several valid in one
 * cycle: one passes, the ready of the others is 0. `to.from` says where a value came from.
 */
export function RoundRobinArbiter<const S extends Shape, const N extends number>(
  p: RoundRobinArbiterParameters<S, N>,
): Def<RoundRobinArbiterPorts<S, N>> {
  return definition(p) as never;
}
