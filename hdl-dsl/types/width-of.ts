/** The bits of shapes and of values, as types. */
import type { Shape, SIntShape, StructShape, UIntShape, VecShape } from "./shape.ts";
import type { Product, Sum } from "./sum.ts";
import type { VecVal } from "./value.ts";

type Together<U> = (U extends unknown ? (u: U) => void : never) extends (u: infer I) => void ? I : never;
/** One member of a union: which one does not matter to a sum. */
type OneOf<U> = Together<U extends unknown ? () => U : never> extends () => infer One ? One : never;

/** The bits of all fields; `number` as soon as one is known at elaboration only. */
type OfFields<F, Rest, N extends number> = [Rest] extends [never]
  ? N
  : number extends N
    ? number
    : OneOf<Rest> extends infer K extends keyof F
      ? OfFields<F, Exclude<Rest, K>, Sum<N, WidthOf<F[K]>>>
      : number;

/** The bits of a shape, where the compiler knows them; else `number`. */
export type WidthOf<S> = Shape extends S
  ? number
  : S extends UIntShape<infer W>
    ? W
    : S extends SIntShape<infer W>
      ? W
      : S extends StructShape<infer F>
        ? string extends keyof F
          ? number
          : OfFields<F, keyof F, 0>
        : S extends VecShape<infer E, infer N>
          ? Product<WidthOf<E>, N>
          : number;

type OfMembers<V, Rest, N extends number> = [Rest] extends [never]
  ? N
  : number extends N
    ? number
    : OneOf<Rest> extends infer K extends keyof V
      ? OfMembers<V, Exclude<Rest, K>, Sum<N, WidthOfValue<V[K]>>>
      : number;

/** The bits of a value, as `pack` puts them side by side; `number` where only elaboration knows them. */
export type WidthOfValue<V> = V extends { readonly signedness: string; readonly width: infer W extends number }
  ? W
  : V extends VecVal<infer E, infer N>
    ? Product<WidthOf<E>, N>
    : V extends object
      ? string extends keyof V
        ? number
        : OfMembers<V, Exclude<keyof V, "set" | symbol>, 0>
      : number;
