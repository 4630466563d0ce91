import { readFileSync } from "node:fs";
import * as z from "zod";
import { UsageError } from "../../shared/errors/index.ts";
import { checkFile, range } from "../../shared/settings/index.ts";

const schema = z.strictObject({
  /** Settings of a commit and of the engine; those of the command line go before them. */
  settings: z.record(z.string(), z.number()).default({}),
  /** Coordinators that commit at the same moment. */
  lanes: range(1, 16).default(2),
});
export type Setup = z.output<typeof schema>;

/** Reads and checks a setup. @throws UsageError naming file, field, value and remedy */
export function readSetup(path: string | undefined): Setup {
  if (path === undefined) return schema.parse({});
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${path} cannot be read; give a JSON file such as examples/hotpot.json`);
  }
  return checkFile(schema, path, text, UsageError);
}
