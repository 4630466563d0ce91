/** Random values for whole ports, so that each field of a record is told from each other one. */
import type { peek, Random } from "../../../../sim/index.ts";

/** A leaf of a port. */
interface Leaf {
  readonly width: number;
  value: number | bigint;
}
const isLeaf = (node: object): node is Leaf => "slot" in node && "width" in node;

/** A value of random bits for each leaf of a port, numbers where they are exact. */
export function anyValue<N extends object>(random: Random, port: N): ReturnType<typeof peek<N>> {
  const of = (node: object): unknown => {
    if (isLeaf(node)) return node.width <= 53 ? Number(random.bits(node.width)) : random.bits(node.width);
    if (Array.isArray(node)) return node.map((each: object) => of(each));
    return Object.fromEntries(Object.entries(node).map(([name, each]) => [name, of(each as object)]));
  };
  // The tree has the port's form, leaf by leaf.
  return of(port) as ReturnType<typeof peek<N>>;
}

/** Drives every leaf of an input with random bits: what nobody may look at is never what it was. */
export function scramble(random: Random, port: object): void {
  if (isLeaf(port)) port.value = random.bits(port.width);
  else Object.values(port).forEach((each: object) => scramble(random, each));
}
