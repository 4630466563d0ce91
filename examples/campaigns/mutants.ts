/** Mutants of every module of the language's library, a sample of each; one module is a piece. */
import { readdirSync, readFileSync } from "node:fs";

/** A module's declaration stands alone on its line, as `mnemo mutate` looks for it. */
const declared = /^export const ([A-Z]\w*) = module\(/gm;
const folder = new URL("../../hdl-dsl/lib/", import.meta.url);
const modules = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter(f => f.endsWith(".ts"))
  .sort()
  .flatMap(f => [...readFileSync(new URL(f, folder), "utf8").matchAll(declared)].map(m => `library/${m[1] ?? ""}`));

export default {
  name: "mutants",
  about: "Faults planted into each module of the library; a survivor is a finding.",
  work: [{ kind: "mutants", modules, limit: 200, seed: 1 }],
  limits: { seconds: 7200, retries: 1 },
};
