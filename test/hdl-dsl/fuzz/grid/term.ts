/** Values that a program of the grid is made of: as hardware when the module is built, and as numbers in the model. */
import type { SInt, UInt } from "../../../../hdl-dsl/index.ts";
import { asSigned, maskOf } from "../../../../hdl-dsl/ir/expr.ts";

export interface Spec {
  readonly width: number;
  readonly signed: boolean;
}
export const u = (width: number): Spec => ({ width, signed: false });
export const s = (width: number): Spec => ({ width, signed: true });
export const sameSpec = (a: Spec, b: Spec): boolean => a.width === b.width && a.signed === b.signed;

export type Hw = UInt | SInt;
/** The ports of the module while its body runs. */
export type Io = Readonly<Record<string, unknown>>;
/** Bit patterns of the inputs by port name. */
export type Inputs = ReadonlyMap<string, bigint>;

/** A value: `hw` makes its expression anew at every call, `of` gives its number, negative where a sign is set. */
export interface Term extends Spec {
  readonly hw: (io: Io) => Hw;
  readonly of: (inputs: Inputs) => bigint;
  /** Its value where it is a number. */
  readonly number?: bigint;
  /** Almost the same: one detail of the operator, the order of its operands or a number among them differs. */
  readonly twin?: Term;
}

/** The number that a value of this width and signedness keeps of `v`. */
export function wrapped(v: bigint, { width, signed }: Spec): bigint {
  const bits = v & maskOf(width);
  return signed ? asSigned(bits, width) : bits;
}
/** The bit pattern of a number. */
export const bitsOf = (v: bigint, width: number): bigint => v & maskOf(width);
