/** The states of a machine's register and their codes. */
import type { Signal } from "./circuit.ts";

/** The code of state number `n`. */
export const codeOfState = (s: Pick<Signal, "codes">, n: number): bigint => s.codes?.[n] ?? BigInt(n);

/** The codes of all states of a register, in the order of the states. */
export const codesOfStates = (s: Signal): readonly bigint[] => (s.states ?? []).map((_, n) => codeOfState(s, n));

/** The name of the state with a code; undefined where no state has it, or the signal is no state register. */
export function stateOfCode(s: Signal, code: bigint): string | undefined {
  return s.states?.[s.codes === undefined ? Number(code) : s.codes.indexOf(code)];
}
