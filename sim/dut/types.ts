import type {
  EnumShape,
  Interface,
  Port,
  Ports,
  Shape,
  SIntShape,
  StreamPort,
  StructShape,
  UIntShape,
  VecShape,
} from "../../hdl-dsl/index.ts";
import type { Signal } from "./signal.ts";

/** Widths whose values a JavaScript number holds exactly. */
type NumberWidth =
  | 1
  | 2
  | 3
  | 4
  | 5
  | 6
  | 7
  | 8
  | 9
  | 10
  | 11
  | 12
  | 13
  | 14
  | 15
  | 16
  | 17
  | 18
  | 19
  | 20
  | 21
  | 22
  | 23
  | 24
  | 25
  | 26
  | 27
  | 28
  | 29
  | 30
  | 31
  | 32
  | 33
  | 34
  | 35
  | 36
  | 37
  | 38
  | 39
  | 40
  | 41
  | 42
  | 43
  | 44
  | 45
  | 46
  | 47
  | 48
  | 49
  | 50
  | 51
  | 52
  | 53;

/**
 * Type of an integer of `W` bits when read: `number` up to 53 bits, `bigint` above. The type is either when the width
 * is a parameter (see `num`, `big`).
 */
export type IntValue<W extends number> = number extends W ? number | bigint : W extends NumberWidth ? number : bigint;

/** Type of a value of a shape when read: integers, names of enumerations, objects for structs, arrays for vecs. */
export type ValueOf<S extends Shape> =
  S extends EnumShape<string, infer M>
    ? M
    : S extends UIntShape<infer W>
      ? IntValue<W>
      : S extends SIntShape<infer W>
        ? IntValue<W>
        : S extends StructShape<infer F>
          ? { readonly [K in keyof F]: F[K] extends Shape ? ValueOf<F[K]> : never }
          : S extends VecShape<infer E>
            ? readonly ValueOf<E>[]
            : never;

/** Type that may be written where `ValueOf` is read: any leaf as number or bigint. */
export type InputOf<S extends Shape> =
  S extends EnumShape<string, infer M>
    ? M
    : S extends UIntShape | SIntShape
      ? number | bigint
      : S extends StructShape<infer F>
        ? { readonly [K in keyof F]: F[K] extends Shape ? InputOf<F[K]> : never }
        : S extends VecShape<infer E>
          ? readonly InputOf<E>[]
          : never;

/** A port that the bench reads; writing it is a compile error. */
export type OutSignal<V extends number | bigint = number | bigint> = Pick<
  Signal<V>,
  "name" | "width" | "num" | "big" | "bytes" | "slot"
> & {
  readonly value: V;
  /** As declared by the module; without it TypeScript would take a readable signal for a writable one. */
  readonly dir: "in" | "out";
};

/**
 * A port that the bench drives; a write takes effect after the coming edge's inputs are sampled, that is for
 * the next `step`.
 */
export interface InSignal<V extends number | bigint = number | bigint> extends Omit<OutSignal<V>, "value" | "dir"> {
  readonly dir: "in";
  get value(): V;
  set value(v: number | bigint);
}

type Leaf<W extends number, D extends "in" | "out"> = D extends "in" ? InSignal<IntValue<W>> : OutSignal<IntValue<W>>;

/** A port of an enumeration that the bench reads: `value` is a name; `num` is its code. */
export interface NamedOut<M extends string> extends Omit<OutSignal, "value"> {
  readonly value: M;
}
/** A port of an enumeration that the bench drives, by names. */
export interface NamedIn<M extends string> extends Omit<InSignal, "value" | "dir"> {
  readonly dir: "in";
  value: M;
}
type NamedLeaf<M extends string, D extends "in" | "out"> = D extends "in" ? NamedIn<M> : NamedOut<M>;

/** The signals of a shape: structs by field, vecs by index. */
export type ShapeIo<S extends Shape, D extends "in" | "out"> =
  S extends EnumShape<string, infer M>
    ? NamedLeaf<M, D>
    : S extends UIntShape<infer W>
      ? Leaf<W, D>
      : S extends SIntShape<infer W>
        ? Leaf<W, D>
        : S extends StructShape<infer F>
          ? { readonly [K in keyof F]: F[K] extends Shape ? ShapeIo<F[K], D> : never }
          : S extends VecShape<infer E>
            ? readonly ShapeIo<E, D>[]
            : never;

type Back<D extends "in" | "out"> = D extends "in" ? "out" : "in";

/** A stream port; `D` as declared by the module: `in` is driven by the bench, `out` by the design. */
export interface StreamIo<S extends Shape = Shape, D extends "in" | "out" = "in" | "out"> {
  readonly valid: Leaf<1, D>;
  readonly ready: Leaf<1, Back<D>>;
  readonly payload: ShapeIo<S, D>;
}

/** The typed ports of a design, by the names of the module's declaration. */
export type Io<P extends Ports> = {
  readonly [K in keyof P]: P[K] extends StreamPort<infer D, infer S>
    ? StreamIo<S, D>
    : P[K] extends Port<infer D, infer S>
      ? ShapeIo<S, D>
      : P[K] extends Interface<infer M>
        ? Io<M>
        : never;
};
