import { type Bit, reg, type Shape, type Var, when, wire } from "../../../hdl-dsl/index.ts";

/** What the stages of a block's pipeline hand on: registers, or in a compact build wires. */
export interface Cells {
  /** A register without reset unless `init` is given; in a compact build a wire. */
  readonly cell: <const S extends Shape>(shape: S, o: { readonly name: string; readonly init?: 0 }) => Var<S>;
  /**
   * Sets cells when the stage behind has room; in a compact build always, and what is set must not change until it
   * has been taken.
   */
  readonly load: (room: Bit, set: () => void) => void;
}

/**
 * The cells between a block's stages. A compact build has none of those registers: for devices that are small and
 * clocks that are slow. Its latency is a cycle less a stage, its paths are as long as all stages together, and whoever
 * is in front holds what he offers until it has gone all the way.
 */
export const cells = (compact: boolean): Cells => ({
  cell: (shape, { name, init }) =>
    compact ? wire(shape, { name }) : reg(shape, init === undefined ? { name } : { name, init: init }),
  load: (room, set) => {
    if (compact) set();
    else when(room, set);
  },
});
