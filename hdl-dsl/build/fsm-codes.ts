/** The codes of a machine's states. */
import { report } from "./context.ts";

/**
 * How states are coded. `binary`: their numbers. `gray`: neighbours in the list differ in one bit. `one-hot`: a bit for
 * each state, 31 states at most. Synthesis keeps these three. `auto`: numbers, and synthesis may recode them as its
 * target likes.
 */
export type FsmEncoding = "auto" | "binary" | "gray" | "one-hot";

/** Yosys takes more states than these back to numbers. */
const MOST_ONE_HOT = 31;

export interface Coding {
  readonly width: number;
  /** By state; undefined: their numbers. */
  readonly codes: readonly bigint[] | undefined;
  readonly attributes: Readonly<Record<string, string>> | undefined;
}

/** What a machine's register looks like. `name`: for messages. */
export function codingOf(states: readonly string[], encoding: FsmEncoding, name: string): Coding {
  const count = states.length,
    binary = Math.max(1, Math.ceil(Math.log2(Math.max(1, count))));
  const twice = states.find((s, n) => states.indexOf(s) !== n);
  if (count === 0) report("HDL152", `\`${name}\` has no states`, "Give the names of its states");
  if (twice !== undefined) report("HDL152", `\`${name}\` has state ${twice} twice`, "Give each state its own name");
  // One-hot codes pay where synthesis knows the machine: then it looks at one bit for a state. The attribute says so to
  // Vivado; Yosys knows no such word, finds the machine by it, and chooses a bit for each state itself.
  const attributes =
    encoding === "auto" ? undefined : { ["fsm_encoding"]: encoding === "one-hot" && count > 1 ? "one_hot" : "none" };
  if (encoding === "one-hot" && count > MOST_ONE_HOT)
    report(
      "HDL152",
      `\`${name}\` has ${count} states, one-hot codes have ${MOST_ONE_HOT} at most`,
      'Choose "binary" or "gray", or make a state run a machine of its own',
    );
  else if (encoding === "one-hot" && count > 1)
    return { width: count, codes: states.map((_, n) => 1n << BigInt(n)), attributes };
  const gray = (n: bigint): bigint => n ^ (n >> 1n);
  return {
    width: binary,
    codes: encoding === "gray" ? states.map((_, n) => gray(BigInt(n))) : undefined,
    attributes,
  };
}
