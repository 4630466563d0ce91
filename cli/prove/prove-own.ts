/**
 * The proofs of a file of the user's own: each `Proof` that it exports, alone or in a list, or one of its modules with
 * the claims that its body makes.
 */
import { resolve } from "node:path";
import { elaborate, type Proof } from "../../hdl-dsl/index.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { exportsOf, isDef, loadChosen } from "../emit/load-definition.ts";
import type { Provable } from "./check.ts";
import { ofUser } from "../own/of-user.ts";

const isProof = (v: unknown): v is Proof =>
  typeof v === "object" && v !== null && "module" in v && "harness" in v && isDef(v.harness) && "faults" in v;

/** The proofs that an export holds, each with the expression that gives its harness. */
function proofsIn(value: unknown, name: string, file: string): readonly Provable[] {
  const from = (p: Proof, at: string): Provable => ({
    ...p,
    origin: { file: resolve(file), name, harness: `${at}.harness` },
  });
  if (isProof(value)) return [from(value, name)];
  if (!Array.isArray(value)) return [];
  return value.flatMap((v: unknown, i) => (isProof(v) ? [from(v, `${name}[${i}]!`)] : []));
}

/** @throws UsageError when the file, the export or the parameters do not fit */
export async function fileProofs(
  file: string,
  o: { readonly module?: string; readonly set: readonly string[] },
): Promise<readonly Provable[]> {
  const all = await exportsOf(file),
    names = o.module === undefined ? Object.keys(all) : [o.module],
    proofs = names.flatMap(n => proofsIn(all[n], n, file));
  if (proofs.length === 0) return [await moduleAsProof(file, o)];
  if (o.set.length > 0) throw new UsageError(`the proofs of ${file} have their parameters already: --set has no place`);
  return proofs;
}

/** A module that makes its own claims is its own harness; nobody has listed faults of it. */
async function moduleAsProof(
  file: string,
  o: { readonly module?: string; readonly set: readonly string[] },
): Promise<Provable> {
  const { definition, name, expression } = await loadChosen(file, o.module, o.set);
  return {
    module: ofUser(file, () => elaborate(definition)).name,
    harness: definition,
    faults: [],
    origin: { file: resolve(file), name, harness: expression },
  };
}
