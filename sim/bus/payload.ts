import type { Node } from "../dut/io.ts";
import { Signal } from "../dut/signal.ts";
import { SimulationError } from "../errors.ts";

/** A function that reads a payload from its ports; made once, so that a beat costs no walk over names. */
export function reader(node: Node): () => unknown {
  if (node instanceof Signal) return () => node.value;
  if (Array.isArray(node)) {
    const each = node.map((n: Node) => reader(n));
    return () => each.map(r => r());
  }
  const fields = Object.entries(node).map(([name, n]) => [name, reader(n)] as const);
  return () => {
    const out: Record<string, unknown> = {};
    for (const [name, read] of fields) out[name] = read();
    return out;
  };
}

/**
 * A function that drives a payload's ports from a value. @throws SimulationError naming a field that is missing or not
 * in the shape.
 */
export function writer(node: Node, path = "payload"): (value: unknown) => void {
  if (node instanceof Signal)
    return v => {
      node.value = v as number | bigint;
    };
  const fields = Object.entries(node).map(([name, n]) => [name, writer(n, `${path}.${name}`)] as const);
  const known = new Set(fields.map(([name]) => name));
  return v => {
    const from = v as Readonly<Record<string, unknown>>;
    for (const [name, write] of fields) {
      const x = from[name];
      if (x === undefined) throw new SimulationError(`${path}.${name} is missing; give a value for every field`);
      write(x);
    }
    for (const name of Object.keys(from)) {
      if (!known.has(name)) throw new SimulationError(`${path} has no field ${name}; it has ${[...known].join(", ")}`);
    }
  };
}
