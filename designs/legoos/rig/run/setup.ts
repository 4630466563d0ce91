import { readFileSync } from "node:fs";
import * as z from "zod";
import { checkFile, powerOfTwo, range, word } from "../../../shared/settings/index.ts";
import { UsageError } from "../../../shared/errors/index.ts";

const schema = z.strictObject({
  /** Settings of the ExCache; those of the command line go before them. */
  settings: z.record(z.string(), z.union([z.number(), z.string()])).default({}),
  nodes: range(1, 4).default(1),
  locality: word(["powergraph", "tensorflow", "phoenix"]).default("phoenix"),
  accesses: range(16, 1_000_000).default(400),
  /** Lines of the application's memory. */
  lines: powerOfTwo(8, 1 << 16).default(256),
  /** Of 100 accesses. */
  writes: range(0, 100).default(30),
});
export type Setup = z.output<typeof schema>;

/** Reads and checks a setup. @throws UsageError naming file, field, value and remedy */
export function readSetup(path: string | undefined): Setup {
  if (path === undefined) return schema.parse({});
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${path} cannot be read; give a JSON file such as examples/legoos.json`);
  }
  return checkFile(schema, path, text, UsageError);
}
