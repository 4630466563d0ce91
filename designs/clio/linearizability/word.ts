import type { Specification } from "./history.ts";

/** Operations on a word of 8 bytes. */
export type WordInput =
  | { readonly kind: "tas" | "read" }
  | { readonly kind: "cas"; readonly compare: bigint; readonly swap: bigint }
  | { readonly kind: "faa"; readonly addend: bigint }
  | { readonly kind: "store" | "write"; readonly value: bigint };
/** The value before; 0 of an operation without output. */
export type WordOutput = bigint;

function next(state: bigint, input: WordInput): bigint {
  switch (input.kind) {
    case "read":
      return state;
    case "tas":
      return state === 0n ? 1n : state;
    case "cas":
      return state === input.compare ? input.swap : state;
    case "faa":
      return BigInt.asUintN(64, state + input.addend);
    case "store":
    case "write":
      return input.value;
  }
}
const silent = (input: WordInput): boolean => input.kind === "store" || input.kind === "write";

/**
 * A word with TAS, CAS, FAA, STORE, reads and writes of the whole of it. TAS leaves a word that is not 0 as it is
 * (rules.md, section 6).
 */
export const wordSpecification: Specification<bigint, WordInput, WordOutput> = {
  initial: 0n,
  apply: (state, input, output) =>
    output === undefined || silent(input) || output === state ? { state: next(state, input) } : undefined,
  key: state => `0x${state.toString(16)}`,
  describe: (input, output) => {
    const operands = Object.entries(input)
      .filter(([k]) => k !== "kind")
      .map(([, v]) => String(v))
      .join(", ");
    return `${input.kind}(${operands})${silent(input) ? "" : ` = ${output === undefined ? "?" : String(output)}`}`;
  },
};
