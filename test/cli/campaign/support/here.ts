/** A campaign as a test runs it: of a fixed commit, in a folder of the test's own. */
import { Terminal } from "../../../../designs/shared/command-line/index.ts";
import { conduct, type Conducted } from "../../../../cli/campaign/conduct.ts";
import { localEngine } from "../../../../cli/campaign/engines/local.ts";
import { type Plan, planOf } from "../../../../cli/campaign/plan.ts";
import { type Spec, specSchema } from "../../../../cli/campaign/spec.ts";

export const module = "test/cli/campaign/support/pieces.ts";
/** Pieces of one each. */
export const pieces = (count: number, options: Readonly<Record<string, string | number>> = {}, seed = 1) => ({
  kind: "module",
  module,
  count,
  seed,
  options,
});
export const specOf = (work: readonly unknown[], limits: Partial<Spec["limits"]> = {}): Spec =>
  specSchema.parse({ name: "tiny", work, limits: { seconds: 600, retries: 1, ...limits } });
export const planHere = (spec: unknown, state = "a".repeat(40)): Plan =>
  planOf(specSchema.parse(spec), "tiny.json", state);

export interface Said {
  readonly conducted: Conducted;
  readonly out: string;
  readonly err: string;
}
/** @param isTTY whether the messages go to a person */
export async function conductHere(folder: string, spec: unknown, slots = 1, isTTY = false): Promise<Said> {
  let out = "",
    err = "";
  const terminal = new Terminal({
    stdout: { write: t => (out += t) },
    stderr: { write: t => (err += t), isTTY },
    env: {},
  });
  const conducted = await conduct(planHere(spec), folder, localEngine(slots), terminal);
  return { conducted, out, err };
}
