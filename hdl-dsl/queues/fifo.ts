/** A FIFO as a stream combinator. */
import type { Shape } from "../types/shape.ts";
import type { StreamIn, UInt } from "../types/value.ts";
import { instance } from "../build/module.ts";
import { Fifo, type FifoParameters } from "../lib/index.ts";
import { connect } from "../stream/connect.ts";
import { nameOf } from "../stream/stream.ts";

interface FifoPlace {
  readonly name?: string;
  readonly style?: FifoParameters["style"];
}

/** Puts a FIFO behind a stream: latency 1, initiation interval 1. */
export function fifo<S extends Shape>(from: StreamIn<S>, depth: number, o: FifoPlace = {}): StreamIn<S> {
  return fifoWithLevel(from, depth, { ...o, name: nameOf(o, "queue").name }).out;
}

/** The same, with the number of elements in it. */
export function fifoWithLevel<S extends Shape>(
  from: StreamIn<S>,
  depth: number,
  o: FifoPlace = {},
): { readonly out: StreamIn<S>; readonly level: UInt } {
  const { name } = nameOf(o, "queue");
  const queue = instance(
    name,
    Fifo({ shape: from.shape, depth, ...(o.style === undefined ? {} : { style: o.style }) }),
  );
  connect(from, queue.push);
  return { out: queue.pop, level: queue.level };
}
