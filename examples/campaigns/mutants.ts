/** Mutants of every module of the designs and of the language's library, a sample of each; one module is a piece. */
import { readdirSync, readFileSync } from "node:fs";

/** As modules are declared whose circuits are used; harnesses of proofs are none. */
const declared = /^export const ([A-Z]\w*) = module\(/gm;

/** @param name as `mnemo mutate` takes it, before the module's */
function modulesIn(name: string, path: string): readonly string[] {
  const folder = new URL(`../../${path}/`, import.meta.url);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(f => f.endsWith(".ts") && !/\bproofs\//.test(f))
    .sort()
    .flatMap(f => [...readFileSync(new URL(f, folder), "utf8").matchAll(declared)].map(m => `${name}/${m[1] ?? ""}`));
}

/** What many use comes first. */
const shared = "shared",
  designs = readdirSync(new URL("../../designs/", import.meta.url)).sort(),
  folders = [shared, ...designs.filter(d => d !== shared)];
const work = [modulesIn("library", "hdl-dsl/lib"), ...folders.map(d => modulesIn(d, `designs/${d}`))]
  .filter(modules => modules.length > 0)
  .map(modules => ({ kind: "mutants", modules, limit: 8, patience: 3, seed: 3 }));

export default {
  name: "mutants",
  about: "Faults planted into each module of the designs and of the library; a survivor is a finding.",
  work,
  limits: { seconds: 1500, retries: 0 },
};
