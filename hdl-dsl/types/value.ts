/** Types of values for the compiler: literal widths, struct fields, directions. The runtime is build/value.ts. */
import type {
  Cases,
  EnumShape,
  Fields,
  Shape,
  SIntShape,
  StructShape,
  UIntShape,
  VariantShape,
  VecShape,
} from "./shape.ts";
import type { Flipped, Interface, Port, StreamPort } from "./ports.ts";
import type { Sum } from "./sum.ts";
import type { WidthOf } from "./width-of.ts";

/** A number of TypeScript in the place of a value; it takes the width of the other operand. */
export type Num = number | bigint;
/** What the compiler shows where widths do not fit: the sentence is in the type. */
export interface WidthError<Message extends string> {
  readonly widthError: Message;
}
/** `unknown` (accepts) when A = B or when either side is only known at elaboration (plain `number`). */
export type Fits<A extends number, B extends number> = number extends A
  ? unknown
  : number extends B
    ? unknown
    : [A, B] extends [B, A]
      ? unknown
      : WidthError<`expected ${A} bits, got ${B}`>;
/** One signature per operator, so that the compiler's message is the width sentence and not a list of overloads. */
export type Operand<W extends number, B> = B extends UInt<infer N> ? Fits<W, N> : unknown;
/** As `Operand`, for signed values. */
export type SOperand<W extends number, B> = B extends SInt<infer N> ? Fits<W, N> : unknown;
/** Bits that are read as a shape: as many as it has. */
export type BitsOf<S, B> = B extends UInt<infer N> ? Fits<WidthOf<S>, N> : unknown;

/** Operators that unsigned and signed values share. */
interface Common<W extends number> {
  readonly width: W;
  /** Bit `i`; 0 is the least significant. */
  bit(i: number): Bit;
  /** Bits lo .. lo+width-1. */
  bits<const N extends number>(lo: number, width: N): UInt<N>;
  /** The low `n` bits (n <= width). */
  trunc<const N extends number>(n: N): UInt<N>;
  /** Or of all bits: not zero. */
  any(): Bit;
  /** And of all bits. */
  all(): Bit;
  /** Exclusive or of all bits. */
  parity(): Bit;
}

/** An unsigned value of W bits. Operands have equal widths; nothing is extended or cut silently. */
export interface UInt<W extends number = number> extends Common<W> {
  readonly signedness: "unsigned";
  /** Sum, wrapping at W bits. */
  add<B extends UInt | Num>(b: B & Operand<W, B>): UInt<W>;
  /**
   * Sum with its carry: W + 1 bits. (The width is a parameter of the method's own, here and in `mul`: a result that is
   * computed from W would make a value of 8 bits no value of any bits.)
   */
  addGrow<A extends number, B extends UInt | Num>(this: UInt<A>, b: B & Operand<A, B>): UInt<Sum<A, 1>>;
  sub<B extends UInt | Num>(b: B & Operand<W, B>): UInt<W>;
  /** Product: the width is the sum of the operands'. */
  mul<A extends number, B extends number>(this: UInt<A>, b: UInt<B>): UInt<Sum<A, B>>;
  /** Quotient by a power of two; any other divisor is refused. */
  div(by: number): UInt<W>;
  /** Remainder by a power of two; any other divisor is refused. */
  mod(by: number): UInt<W>;
  and<B extends UInt | Num>(b: B & Operand<W, B>): UInt<W>;
  or<B extends UInt | Num>(b: B & Operand<W, B>): UInt<W>;
  xor<B extends UInt | Num>(b: B & Operand<W, B>): UInt<W>;
  not(): UInt<W>;
  /** The bits that are set here and not in `b`. */
  andNot<B extends UInt | Num>(b: B & Operand<W, B>): UInt<W>;
  eq<B extends UInt | Num>(b: B & Operand<W, B>): Bit;
  ne<B extends UInt | Num>(b: B & Operand<W, B>): Bit;
  lt<B extends UInt | Num>(b: B & Operand<W, B>): Bit;
  le<B extends UInt | Num>(b: B & Operand<W, B>): Bit;
  gt<B extends UInt | Num>(b: B & Operand<W, B>): Bit;
  ge<B extends UInt | Num>(b: B & Operand<W, B>): Bit;
  /** Shift by a number of bits, or by a value of any width; zeros come in, the width stays. */
  shl(by: number | UInt): UInt<W>;
  shr(by: number | UInt): UInt<W>;
  /** Zero-extension to `n` >= W bits. */
  zext<const N extends number>(n: N): UInt<N>;
  /** Zero-extends or truncates to `n` bits: for widths that parameters decide. Says on purpose that bits may go. */
  resize<const N extends number>(n: N): UInt<N>;
  /**
   * States the width: turns one known at elaboration into one that the compiler knows; a wrong one is an
   * error at elaboration.
   */
  is<const N extends number>(n: N): UInt<N>;
  asSint(): SInt<W>;
}
/** An unsigned value of one bit: what conditions are. */
export type Bit = UInt<1>;

/** A two's-complement value of W bits. */
export interface SInt<W extends number = number> extends Common<W> {
  readonly signedness: "signed";
  add<B extends SInt | Num>(b: B & SOperand<W, B>): SInt<W>;
  /** Sum with its carry: W + 1 bits. */
  addGrow<A extends number, B extends SInt | Num>(this: SInt<A>, b: B & SOperand<A, B>): SInt<Sum<A, 1>>;
  sub<B extends SInt | Num>(b: B & SOperand<W, B>): SInt<W>;
  /** Product: the width is the sum of the operands'. */
  mul<A extends number, B extends number>(this: SInt<A>, b: SInt<B>): SInt<Sum<A, B>>;
  neg(): SInt<W>;
  eq<B extends SInt | Num>(b: B & SOperand<W, B>): Bit;
  ne<B extends SInt | Num>(b: B & SOperand<W, B>): Bit;
  lt<B extends SInt | Num>(b: B & SOperand<W, B>): Bit;
  le<B extends SInt | Num>(b: B & SOperand<W, B>): Bit;
  gt<B extends SInt | Num>(b: B & SOperand<W, B>): Bit;
  ge<B extends SInt | Num>(b: B & SOperand<W, B>): Bit;
  shl(by: number | UInt): SInt<W>;
  /** Arithmetic: the sign comes in. */
  shr(by: number | UInt): SInt<W>;
  sext<const N extends number>(n: N): SInt<N>;
  is<const N extends number>(n: N): SInt<N>;
  asUint(): UInt<W>;
}

/** What a choice by `match` is made from: for each name, what its case is given. For the compiler only. */
export declare const casesOf: unique symbol;

/** A value that has one of the names M; a name may stand where such a value is expected. */
export interface Enum<N extends string = string, M extends string = string, W extends number = number> {
  readonly signedness: "enumeration";
  /** Of the enumeration: two with the same names of values are not one. */
  readonly enumeration: { readonly name: N };
  readonly [casesOf]: { readonly [K in M]: undefined };
  readonly width: W;
  /** Whether the value is one of these. */
  is(...names: readonly [M, ...M[]]): Bit;
  eq(b: Enum<N, M, W> | M): Bit;
  ne(b: Enum<N, M, W> | M): Bit;
  /** The number that stands for it. */
  asUint(): UInt<W>;
}
/** A drivable value of an enumeration. */
export interface EnumVar<N extends string = string, M extends string = string, W extends number = number> extends Enum<
  N,
  M,
  W
> {
  set(v: Enum<N, M, W> | M): void;
}

type Bodies<C> = { readonly [K in keyof C]: C[K] extends Shape ? Val<C[K]> : undefined };
/** A value with a tag, and a body that belongs to the tag. `match` reads the body as what the tag says. */
export interface Variant<N extends string = string, C extends Cases = Cases> {
  readonly tag: Enum<N, keyof C & string>;
  /** Bits of the body, its first field lowest. Those beyond its case's are 0 where its case made the value. */
  readonly body: UInt;
  readonly [casesOf]: Bodies<C>;
}
/** A drivable value of a variant: its tag and its body. */
export interface VariantVar<N extends string = string, C extends Cases = Cases> extends Variant<N, C> {
  readonly tag: EnumVar<N, keyof C & string>;
  readonly body: UIntVar;
  set(v: Variant<N, C>): void;
}

/**
 * A readable view of a shape. `Val`, `Var` and `Given` test the same conditions in the same order. So the compiler sees
 * that a drivable value can be read and a readable value can be given, even for a shape that is a parameter.
 */
export type Val<S> =
  S extends EnumShape<infer N, infer M, infer W>
    ? Enum<N, M, W>
    : S extends UIntShape<infer W>
      ? UInt<W>
      : S extends SIntShape<infer W>
        ? SInt<W>
        : S extends VariantShape<infer N, infer C>
          ? Variant<N, C>
          : S extends StructShape<infer F>
            ? { readonly [K in keyof F]: Val<F[K]> }
            : S extends VecShape<infer E, infer N>
              ? VecVal<E, N>
              : never;
/** A readable vector: elements by number, or by a value. */
export interface VecVal<E, N extends number = number> {
  readonly length: N;
  /** Element by number, or by a value (index width log2 of the length rounded up; past the end reads 0). */
  at(i: number | UInt): Val<E>;
  toArray(): readonly Val<E>[];
}

/** A drivable view. Within a module the last assignment in program order wins. */
export interface UIntVar<W extends number = number> extends UInt<W> {
  set<B extends UInt | Num>(v: B & Operand<W, B>): void;
  /** Drives bits lo .. lo+v.width-1 only. */
  setBits(lo: number, v: UInt): void;
}
/** A drivable signed value. */
export interface SIntVar<W extends number = number> extends SInt<W> {
  set<B extends SInt | Num>(v: B & SOperand<W, B>): void;
}
/** A drivable struct: its fields, and `set` for all of them. */
export type StructVar<F> = { readonly [K in keyof F]: Var<F[K]> } & { set<const V>(v: V & FieldsOf<F, V>): void };
/** A drivable vector. */
export interface VecVar<E, N extends number = number> {
  readonly length: N;
  at(i: number): Var<E>;
  at(i: number | UInt): Val<E>;
  toArray(): readonly Var<E>[];
  /** Drives the element that `i` names; the others keep what they had. */
  setAt(i: UInt, v: Val<E>): void;
  set(v: readonly Val<E>[] | VecVal<E>): void;
}
/** Whether the fields of `V` can be given to a struct with the fields `F`: `unknown` where they can. */
export type FieldsOf<F, V> = {
  [K in keyof F]: K extends keyof V ? LeafOf<F[K], V[K]> : WidthError<`missing field ${K & string}`>;
};
/** Whether a value of type `V` can be given to the shape `S`: `unknown` where it can. */
export type LeafOf<S, V> =
  S extends EnumShape<infer N, infer M, infer W>
    ? V extends Enum<N, M, W> | M
      ? unknown
      : WidthError<`a value of ${N} is expected`>
    : S extends UIntShape<infer W>
      ? V extends UInt | Num
        ? Operand<W, V>
        : WidthError<"an unsigned value is expected">
      : S extends SIntShape<infer W>
        ? V extends SInt | Num
          ? SOperand<W, V>
          : WidthError<"a signed value is expected">
        : S extends StructShape<infer F>
          ? FieldsOf<F, V>
          : S extends VecShape<infer E>
            ? VecVal<E> | readonly Val<E>[]
            : never;
/** A drivable view of a shape. */
export type Var<S> =
  S extends EnumShape<infer N, infer M, infer W>
    ? EnumVar<N, M, W>
    : S extends UIntShape<infer W>
      ? UIntVar<W>
      : S extends SIntShape<infer W>
        ? SIntVar<W>
        : S extends VariantShape<infer N, infer C>
          ? VariantVar<N, C>
          : S extends StructShape<infer F>
            ? StructVar<F>
            : S extends VecShape<infer E, infer N>
              ? VecVar<E, N>
              : never;

/** Values given for a shape: leaves as values or numbers. */
export type Given<S> =
  S extends EnumShape<infer N, infer M, infer W>
    ? Enum<N, M, W> | M
    : S extends UIntShape<infer W>
      ? UInt<W> | Num
      : S extends SIntShape<infer W>
        ? SInt<W> | Num
        : S extends VariantShape<infer N, infer C>
          ? Variant<N, C>
          : S extends StructShape<infer F>
            ? { readonly [K in keyof F]: Given<F[K]> }
            : S extends VecShape<infer E>
              ? VecVal<E> | readonly Given<E>[]
              : never;

/** Readable part of a value or of a drivable view: the same without `set`. */
export type Readable<V> =
  V extends Enum<infer N, infer M, infer W>
    ? Enum<N, M, W>
    : V extends UInt<infer W>
      ? UInt<W>
      : V extends SInt<infer W>
        ? SInt<W>
        : V extends VecVar<infer E, infer N>
          ? VecVal<E, N>
          : V extends VecVal<infer E, infer N>
            ? VecVal<E, N>
            : V extends object
              ? { readonly [K in keyof V as K extends "set" ? never : K]: Readable<V[K]> }
              : V;
/** Operand that may stand beside V in a choice between the two. */
export type Alternative<V, B> =
  V extends Enum<infer N, infer M, infer W>
    ? Enum<N, M, W> | M
    : V extends UInt<infer W>
      ? B extends UInt | Num
        ? Operand<W, B>
        : WidthError<"an unsigned value is expected">
      : V extends SInt<infer W>
        ? B extends SInt | Num
          ? SOperand<W, B>
          : WidthError<"a signed value is expected">
        : Readable<V>;

/** A stream as its consumer sees it. `fire` is valid and ready. */
export interface StreamIn<S> {
  readonly shape: S;
  readonly valid: Bit;
  readonly ready: Var<UIntShape<1>>;
  readonly payload: Val<S>;
  readonly fire: Bit;
}
/** A stream as its producer sees it. */
export interface StreamOut<S> {
  readonly shape: S;
  readonly valid: Var<UIntShape<1>>;
  readonly ready: Bit;
  readonly payload: Var<S>;
  readonly fire: Bit;
}
/** A stream inside a module: both faces. */
export interface Stream<S> {
  readonly shape: S;
  readonly valid: Var<UIntShape<1>>;
  readonly ready: Var<UIntShape<1>>;
  readonly payload: Var<S>;
  readonly fire: Bit;
}

/** `n` times `T`: a tuple where the compiler knows the number, an array where only elaboration does. */
export type Times<T, N extends number, Made extends T[] = []> = number extends N
  ? T[]
  : Made["length"] extends N
    ? Made
    : Times<T, N, [...Made, T]>;

/**
 * Requirement on the payload of a stream of T that joins a stream of S: none where the shapes fit, else the sentence
 * with the reason. A width that only elaboration knows fits any.
 */
export type Joins<S, T> =
  T extends EnumShape<infer N, infer M, infer W>
    ? S extends EnumShape<N, M, W>
      ? unknown
      : WidthError<`a value of ${N} is expected`>
    : T extends UIntShape<infer W>
      ? S extends UIntShape<infer N>
        ? Fits<W, N>
        : WidthError<"an unsigned value is expected">
      : T extends SIntShape<infer W>
        ? S extends SIntShape<infer N>
          ? Fits<W, N>
          : WidthError<"a signed value is expected">
        : T extends StructShape<infer F>
          ? S extends StructShape<infer G>
            ? {
                readonly [K in keyof F | keyof G]: K extends keyof G
                  ? K extends keyof F
                    ? Joins<G[K], F[K]>
                    : WidthError<`no field ${K & string}`>
                  : WidthError<`missing field ${K & string}`>;
              }
            : WidthError<"a struct is expected">
          : T extends VecShape<infer E>
            ? S extends VecShape<infer G>
              ? { toArray(): readonly Joins<G, E>[] }
              : WidthError<"a vec is expected">
            : never;

/** What an end drives and reads. For the compiler only. */
export declare const membersOf: unique symbol;
/** What tells an end of an interface from a struct. */
export interface AnyEnd<M> {
  readonly [membersOf]: M;
}
/** One end of an interface: members that are `out` can be driven here, the others read. `connect` joins two. */
export type End<M> = Inside<M> & AnyEnd<M>;
/** An end with the directions of the interface as it is declared, and the one with those of its flip. */
export interface Ends<M> {
  readonly near: End<M>;
  readonly far: End<Flipped<M>>;
}

/** What the compiler shows where two ends cannot be joined: the sentence is in the type. */
export interface ConnectError<Message extends string> {
  readonly connectError: Message;
}
/** Requirement on member B of one end where the other end has A. */
type MeetsPort<A, B> =
  A extends Port<infer D, infer S>
    ? B extends Port<infer E, infer T>
      ? Across<D, E, Joins<S, T>>
      : ConnectError<"one is a plain port, the other is none">
    : A extends StreamPort<infer D, infer S>
      ? B extends StreamPort<infer E, infer T>
        ? Across<D, E, { readonly payload: Joins<S, T> }>
        : ConnectError<"one is a stream, the other is none">
      : A extends Interface<infer M>
        ? B extends Interface<infer N>
          ? Meets<M, N>
          : ConnectError<"one is an interface, the other is none">
        : unknown;
type Across<D, E, Same> = [D, E] extends ["in", "out"] | ["out", "in"]
  ? Same
  : [D, E] extends ["out", "out"]
    ? ConnectError<"both ends drive it">
    : [D, E] extends ["in", "in"]
      ? ConnectError<"neither end drives it">
      : unknown;
/** Requirement on an end of N that joins one of M: none where each member meets its like in the other direction. */
export type Meets<M, N> = string extends keyof M | keyof N
  ? unknown
  : {
      readonly [K in keyof M | keyof N]: K extends keyof M
        ? K extends keyof N
          ? MeetsPort<M[K], N[K]>
          : ConnectError<`missing member ${K & string}`>
        : ConnectError<`no member ${K & string}`>;
    };

/** Inside the module: inputs read, outputs drive. */
export type Inside<P> = {
  readonly [K in keyof P]: P[K] extends Port<"in", infer S>
    ? Val<S>
    : P[K] extends Port<"out", infer S>
      ? Var<S>
      : P[K] extends StreamPort<"in", infer S>
        ? StreamIn<S>
        : P[K] extends StreamPort<"out", infer S>
          ? StreamOut<S>
          : P[K] extends Interface<infer M>
            ? End<M>
            : never;
};
/** Outside: flipped. */
export type Outside<P> = {
  readonly [K in keyof P]: P[K] extends Port<"in", infer S>
    ? Var<S>
    : P[K] extends Port<"out", infer S>
      ? Val<S>
      : P[K] extends StreamPort<"in", infer S>
        ? StreamOut<S>
        : P[K] extends StreamPort<"out", infer S>
          ? StreamIn<S>
          : P[K] extends Interface<infer M>
            ? End<Flipped<M>>
            : never;
};

/** Names that may stand for the initial values of enumerations, by field. */
export type NamesIn<S> =
  S extends EnumShape<string, infer M>
    ? M
    : S extends StructShape<infer F>
      ? { readonly [K in keyof F]?: Num | NamesIn<F[K]> }
      : never;

export type { Fields, Shape };
