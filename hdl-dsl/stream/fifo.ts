/** A FIFO as a stream combinator. */
import type { Shape } from "../types/shape.ts";
import type { StreamIn, StreamOut } from "../types/value.ts";
import { instance } from "../build/module.ts";
import { Fifo, type FifoParameters } from "../lib/fifo.ts";
import { connect, nameOf } from "./stream.ts";

/** Puts a FIFO behind a stream: latency 1, initiation interval 1. */
export function fifo<S extends Shape>(from: StreamIn<S>, depth: number, o: { readonly name?: string; readonly style?: FifoParameters["style"] } = {}): StreamIn<S> {
  const { name } = nameOf(o, "queue");
  const queue = instance(name, Fifo({ shape: from.shape, depth, ...(o.style === undefined ? {} : { style: o.style }) }));
  connect(from, queue.push as unknown as StreamOut<S>);
  return queue.pop as unknown as StreamIn<S>;
}
