import {
  type AnyPort,
  enumerationOf,
  fieldsOf,
  type Ports,
  type Shape,
  type StructShape,
} from "../../hdl-dsl/index.ts";
import type { Model } from "../backend/backend.ts";
import { SimulationError } from "../errors.ts";
import { namedSignalOf, Signal, signalOf } from "./signal.ts";
import type { InSignal, Io, NamedIn, NamedOut, OutSignal } from "./types.ts";

/** A tree of signals: one, named fields, or elements. */
export type Node = Signal | { readonly [field: string]: Node } | readonly Node[];

/** The signals of a model as a tree that follows the declaration of its ports. */
export function buildIo<P extends Ports>(ports: P, model: Model): Io<P> {
  const byPath = new Map<string, Signal>();
  for (const slot of model.slots.values()) byPath.set(slot.port.path.join("."), signalOf(model.words, slot));
  const leaf = (path: readonly string[]): Signal => {
    const s = byPath.get(path.join("."));
    if (!s)
      throw new SimulationError(
        `the design has no port for ${path.join(".")}; its declaration and its Verilog disagree`,
      );
    return s;
  };
  const tree = (shape: Shape, path: readonly string[]): Node => {
    switch (shape.kind) {
      case "uint":
      case "sint":
        return namedSignalOf(leaf(path), enumerationOf(shape));
      case "struct":
        return Object.fromEntries(fieldsOf(shape as StructShape).map(([name, s]) => [name, tree(s, [...path, name])]));
      case "vec":
        return Array.from({ length: shape.length }, (_, i) => tree(shape.element as Shape, [...path, String(i)]));
    }
  };
  const portTree = (p: AnyPort, path: readonly string[]): Node => {
    switch (p.port) {
      case "plain":
        return tree(p.shape, path);
      case "stream":
        return {
          valid: leaf([...path, "valid"]),
          ready: leaf([...path, "ready"]),
          payload: tree(p.shape, [...path, "payload"]),
        };
      case "interface":
        return treeOf(p.members, path);
    }
  };
  const treeOf = (members: Ports, within: readonly string[]): { readonly [name: string]: Node } =>
    Object.fromEntries(Object.entries(members).map(([name, p]) => [name, portTree(p, [...within, name])]));
  return treeOf(ports, []) as Io<P>;
}

/** Result of `peek` for a tree of signals. */
export type Peeked<N> = N extends { readonly value: infer V; readonly slot: unknown }
  ? V
  : N extends readonly (infer E)[]
    ? readonly Peeked<E>[]
    : { readonly [K in keyof N]: Peeked<N[K]> };

/** Argument of `poke` for a tree of signals. */
export type Poked<N> =
  N extends NamedIn<infer M>
    ? M
    : N extends InSignal
      ? number | bigint
      : N extends OutSignal | NamedOut<string>
        ? never
        : N extends readonly (infer E)[]
          ? readonly Poked<E>[]
          : { readonly [K in keyof N]: Poked<N[K]> };

/** The values of a port or of a tree of ports (a struct's fields, a stream's payload). */
export function peek<N extends object>(node: N): Peeked<N> {
  return read(node as unknown as Node) as Peeked<N>;
}

/** Drives an input port, or all of a tree of them. */
export function poke<N extends object>(node: N, value: Poked<N>): void {
  write(node as unknown as Node, value);
}

function read(n: Node): unknown {
  if (n instanceof Signal) return n.value;
  if (Array.isArray(n)) return n.map((e: Node) => read(e));
  return Object.fromEntries(Object.entries(n).map(([k, e]) => [k, read(e)]));
}

function write(n: Node, value: unknown): void {
  if (n instanceof Signal) {
    n.value = value as number | bigint;
    return;
  }
  for (const [k, e] of Object.entries(n)) {
    const v = (value as Record<string, unknown>)[k];
    if (v === undefined) throw new SimulationError(`poke: the field ${k} is missing; give a value for every field`);
    write(e, v);
  }
}

/** All signals of a tree, in declaration order. */
export function leaves(n: Node): Signal[] {
  return n instanceof Signal ? [n] : Object.values(n).flatMap(e => leaves(e));
}
