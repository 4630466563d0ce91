/** Sums and products of widths as types: the compiler counts the elements of lists. */

type Ten<L extends readonly 0[]> = [...L, ...L, ...L, ...L, ...L, ...L, ...L, ...L, ...L, ...L];
interface Units {
  0: [];
  1: [0];
  2: [0, 0];
  3: [0, 0, 0];
  4: [0, 0, 0, 0];
  5: [0, 0, 0, 0, 0];
  6: [0, 0, 0, 0, 0, 0];
  7: [0, 0, 0, 0, 0, 0, 0];
  8: [0, 0, 0, 0, 0, 0, 0, 0];
  9: [0, 0, 0, 0, 0, 0, 0, 0, 0];
}
type Digit = keyof Units;
/** A list of as many elements as the decimal digits say, digit by digit. */
type ListOf<S extends string, L extends readonly 0[] = []> = S extends `${infer D extends Digit}${infer Rest}`
  ? ListOf<Rest, [...Ten<L>, ...Units[D]]>
  : L;
/** Widths with which the compiler counts: up to 3999 bits. Beyond, only elaboration does. */
type Countable<S extends string> = S extends
  `${Digit}` | `${Digit}${Digit}` | `${Digit}${Digit}${Digit}` | `${1 | 2 | 3}${Digit}${Digit}${Digit}`
  ? true
  : false;

/** A + B where the compiler knows both; else `number`, which elaboration checks. */
export type Sum<A extends number, B extends number> = number extends A
  ? number
  : number extends B
    ? number
    : [Countable<`${A}`>, Countable<`${B}`>] extends [true, true]
      ? LengthOf<[...ListOf<`${A}`>, ...ListOf<`${B}`>]>
      : number;
type LengthOf<L extends readonly 0[]> = L["length"] extends infer N extends number ? N : number;

/** `L`, as many times as the decimal digits say. */
type Copies<
  L extends readonly 0[],
  S extends string,
  Made extends readonly 0[] = [],
> = S extends `${infer D extends Digit}${infer Rest}` ? Copies<L, Rest, [...Ten<Made>, ...Few<L>[D]]> : Made;
interface Few<L extends readonly 0[]> {
  0: [];
  1: L;
  2: [...L, ...L];
  3: [...L, ...L, ...L];
  4: [...L, ...L, ...L, ...L];
  5: [...L, ...L, ...L, ...L, ...L];
  6: [...L, ...L, ...L, ...L, ...L, ...L];
  7: [...L, ...L, ...L, ...L, ...L, ...L, ...L];
  8: [...L, ...L, ...L, ...L, ...L, ...L, ...L, ...L];
  9: [...L, ...L, ...L, ...L, ...L, ...L, ...L, ...L, ...L];
}
/** Factors whose product the compiler can count: below 10,000. */
type Multipliable<S extends string> = S extends
  | `${Digit} ${Digit}`
  | `${Digit} ${Digit}${Digit}`
  | `${Digit} ${Digit}${Digit}${Digit}`
  | `${Digit}${Digit} ${Digit}`
  | `${Digit}${Digit} ${Digit}${Digit}`
  | `${Digit}${Digit}${Digit} ${Digit}`
  ? true
  : false;

/** A * B where the compiler knows both and the product is small enough to count; else `number`. */
export type Product<A extends number, B extends number> = number extends A
  ? number
  : number extends B
    ? number
    : Multipliable<`${A} ${B}`> extends true
      ? LengthOf<Copies<ListOf<`${A}`>, `${B}`>>
      : number;

/** The bits of values side by side. */
export type WidthOfAll<
  P extends readonly { readonly width: number }[],
  N extends number = 0,
> = number extends P["length"]
  ? number
  : P extends readonly [
        infer First extends { readonly width: number },
        ...infer Rest extends readonly { readonly width: number }[],
      ]
    ? WidthOfAll<Rest, Sum<N, First["width"]>>
    : N;
