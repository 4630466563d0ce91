/** A campaign's file, read and checked. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { checkFile } from "../../designs/shared/settings/index.ts";
import { root } from "../../scripts/setup/paths.mjs";
import { designNamed } from "../design-named.ts";
import { kindsFolder } from "./pieces.ts";
import { fixedKinds, isFixed, type Spec, specSchema, type Work } from "./spec.ts";

/** The default export of a TypeScript file, as JSON has it: what it computes is part of the campaign's name. */
async function textOfModule(path: string): Promise<string> {
  let loaded: unknown;
  try {
    loaded = await import(pathToFileURL(resolve(path)).href);
  } catch (e) {
    if (!existsSync(path)) readFileSync(path);
    throw new UsageError(`${path} cannot be loaded: ${(e as Error).message.split("\n")[0] ?? ""}; mend it there`);
  }
  const campaign = (loaded as { readonly default?: unknown }).default;
  if (campaign === undefined) throw new UsageError(`${path} has no default export; export the campaign as default`);
  return JSON.stringify(campaign);
}

const kindsThere = (): readonly string[] =>
  existsSync(join(root, kindsFolder))
    ? readdirSync(join(root, kindsFolder))
        .filter(f => f.endsWith(".ts"))
        .map(f => basename(f, ".ts"))
    : [];

const missing = (files: readonly string[]): string | undefined => files.find(f => !existsSync(join(root, f)));

/** @throws UsageError for what a work names and there is not */
function checkWork(w: Work, where: string): void {
  const refuse = (file: string | undefined): void => {
    if (file !== undefined) throw new UsageError(`${where} names ${file}, and there is no such file in the project`);
  };
  if (!isFixed(w)) {
    const there = kindsThere();
    if (!there.includes(w.kind))
      throw new UsageError(
        `${where}.kind = "${w.kind}": there is no such kind; the kinds are ${[...there, ...fixedKinds].join(", ")}`,
      );
  } else if (w.kind === "module") refuse(missing([w.module]));
  else if (w.kind === "vitest") refuse(missing(w.files));
  else if (w.kind === "sweep" || w.kind === "figures" || w.kind === "benches") designNamed(w.design);
}

/** @throws UsageError in one sentence */
export async function loadSpec(path: string): Promise<Spec> {
  if (!/\.(?:json|m?[jt]s)$/.test(path))
    throw new UsageError(`${path} is no campaign: its name must end in .json, .ts or .mjs`);
  const text = path.endsWith(".json") ? readFileSync(path, "utf8") : await textOfModule(path);
  const spec = checkFile(specSchema, path, text, UsageError);
  for (const [i, w] of spec.work.entries()) checkWork(w, `${path}: work[${i}]`);
  return spec;
}
