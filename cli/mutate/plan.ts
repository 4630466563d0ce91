/** What the command tells the test processes (in a file that MNEMO_MUTATE names), and what they tell back. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { z } from "zod";

const Seen = z.object({
  id: z.string(),
  file: z.string(),
  /** Of the processor. */
  ms: z.number(),
  edges: z.number(),
  variants: z.array(z.string()),
});
/** A test that simulates the module: how long it takes, and which circuits (Verilog names) it has. */
export type Seen = z.infer<typeof Seen>;

const Job = z.object({
  module: z.string(),
  /** Mutants to plant. */
  keys: z.array(z.string()).readonly(),
  /** Tests to plant them in. */
  tests: z.array(Seen).readonly(),
});
/** What is planted into one module. */
export type Job = z.infer<typeof Job>;

/** One of the last three: what is done with the tests. */
const Plan = z.object({
  /** The folder that files are told from, when it is the user's own project. */
  root: z.string().optional(),
  /** Lines of JSON come here. */
  out: z.string(),
  /** Tests are only watched, for these modules. */
  watched: z.array(z.string()).readonly().optional(),
  jobs: z.array(Job).readonly().optional(),
  /** The one mutant is in from the start of the process, and every test runs as always. */
  whole: z.object({ module: z.string(), key: z.string() }).optional(),
});
export type Plan = z.infer<typeof Plan>;

const Described = z.object({
  key: z.string(),
  operator: z.string(),
  file: z.string(),
  line: z.number(),
  says: z.string(),
});
/** A mutant for the report; `file` as the stack trace gave it. */
export type Described = z.infer<typeof Described>;

/** Where several modules are watched, each is told of by itself. */
const of = { module: z.string() };
const Report = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("variant"), ...of, name: z.string(), mutants: z.array(Described) }),
  Seen.extend({ kind: z.literal("test"), ...of }),
  z.object({ kind: z.literal("failed"), ...of, id: z.string(), message: z.string() }),
  /** The test cannot be repeated within its process, or makes its models outside of its tests. */
  z.object({ kind: z.literal("whole"), ...of, id: z.string(), file: z.string() }),
  z.object({ kind: z.literal("killed"), ...of, key: z.string(), id: z.string(), message: z.string() }),
  z.object({ kind: z.literal("lived"), ...of, key: z.string(), id: z.string() }),
  z.object({ kind: z.literal("void"), ...of, key: z.string(), verdict: z.enum(["equivalent", "loop"]) }),
  /** After these were killed the test failed without a mutant as well: they are to be run again. */
  z.object({ kind: z.literal("doubt"), ...of, id: z.string(), file: z.string(), keys: z.array(z.string()) }),
]);
export type Report = z.infer<typeof Report>;

export const readPlan = (file: string): Plan => Plan.parse(JSON.parse(readFileSync(file, "utf8")));
export const tell = (out: string, r: Report): void => appendFileSync(out, `${JSON.stringify(r)}\n`);

/** Reads what came since the last call: each line once. */
export class Reports {
  readonly #file: string;
  #at = 0;
  constructor(file: string) {
    this.#file = file;
  }
  next(): readonly Report[] {
    if (!existsSync(this.#file)) return [];
    const bytes = readFileSync(this.#file).subarray(this.#at),
      end = bytes.lastIndexOf(10) + 1;
    this.#at += end;
    return bytes
      .subarray(0, end)
      .toString("utf8")
      .split("\n")
      .filter(l => l !== "")
      .map(l => Report.parse(JSON.parse(l)));
  }
}
