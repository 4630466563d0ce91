import type { Port, Shape, StreamIn, StreamOut, StreamPort } from "../../../../hdl-dsl/index.ts";

/** A port of each partition: `name0`, `name1` and so on. */
export const perPartition = <const N extends string, P extends Port | StreamPort>(
  name: N,
  partitions: number,
  port: P,
): Readonly<Record<`${N}${number}`, P>> =>
  Object.fromEntries(Array.from({ length: partitions }, (_, i) => [`${name}${i}`, port])) as Readonly<
    Record<`${N}${number}`, P>
  >;

/** The streams of all partitions that come in on such a port. */
export const inwardsOf = <S extends Shape>(
  io: unknown,
  name: string,
  partitions: number,
  _shape: S,
): readonly StreamIn<S>[] =>
  Array.from(
    { length: partitions },
    (_, i) => (io as Readonly<Record<string, StreamIn<S>>>)[`${name}${i}`] as StreamIn<S>,
  );
/** Streams that go out. */
export const outwardsOf = <S extends Shape>(
  io: unknown,
  name: string,
  partitions: number,
  _shape: S,
): readonly StreamOut<S>[] =>
  Array.from(
    { length: partitions },
    (_, i) => (io as Readonly<Record<string, StreamOut<S>>>)[`${name}${i}`] as StreamOut<S>,
  );
