import type { Specification } from "./history.ts";

/** Operations on one key; values as text. */
export type KeyInput =
  { readonly kind: "read" | "delete" } | { readonly kind: "create" | "update"; readonly value: string };
/** A read gives the value or undefined (as `missing`), the others whether they were done. */
export type KeyOutput = { readonly value: string } | "missing" | boolean;

/** One key of a key-value store: create only when it is missing, update and delete only when it is there. */
export const keySpecification: Specification<string | undefined, KeyInput, KeyOutput> = {
  initial: undefined,
  apply: (state, input, output) => {
    if (input.kind === "read") {
      const found = state === undefined ? output === "missing" : typeof output === "object" && output.value === state;
      return output === undefined || found ? { state } : undefined;
    }
    const possible = input.kind === "create" ? state === undefined : state !== undefined;
    if (output !== undefined && output !== possible) return undefined;
    if (!possible) return { state };
    return { state: input.kind === "create" || input.kind === "update" ? input.value : undefined };
  },
  key: state => (state === undefined ? "missing" : JSON.stringify(state)),
  describe: (input, output) => {
    const operand = input.kind === "create" || input.kind === "update" ? JSON.stringify(input.value) : "";
    const found =
      output === undefined ? "?" : typeof output === "object" ? JSON.stringify(output.value) : String(output);
    return `${input.kind}(${operand}) = ${found}`;
  },
};
