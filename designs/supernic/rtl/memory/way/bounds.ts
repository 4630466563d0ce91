/** Counts and queues of a way, none of which ever runs over. */
import {
  assertAlways,
  assignView,
  type Bit,
  constant,
  fifoWithLevel,
  type Given,
  mux,
  reg,
  type Shape,
  stream,
  uint,
  type UInt,
  type Var,
  when,
} from "../../../../../hdl-dsl/index.ts";

/** A number that goes up and down by what is said. */
export function sumOf(
  name: string,
  bits: number,
  init: number,
): { readonly n: Var<ReturnType<typeof uint>>; change(up: UInt, down: UInt): void } {
  const n = reg(uint(bits), { init, name });
  return { n, change: (up, down) => n.set(n.add(up.zext(bits)).sub(down.zext(bits)).is(bits)) };
}
export function counted(name: string, event: Bit): UInt<32> {
  const n = reg(uint(32), { init: 0, name: `count_${name}` });
  when(event, () => n.set(n.add(1)));
  return n;
}
/** A queue that has room for all that can come. */
export function roomy<S extends Shape>(name: string, shape: S, depth: number, valid: Bit, payload: Given<S>) {
  const from = stream(shape, { name: `${name}_in` });
  from.valid.set(valid);
  assignView(from.payload, payload, "payload");
  const { out, level } = fifoWithLevel(from, depth, { name, style: "distributed" });
  assertAlways(valid.not().or(from.ready), `${name} has room for all that can come`);
  return { out, level };
}

export const one = (event: Bit): UInt => event.zext(2);
export const many = (event: Bit, n: UInt): UInt => mux(event, n, constant(0, n.width));
