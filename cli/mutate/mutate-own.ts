/** Where a module of the user's own is written, for `mnemo mutate <file>`. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { packageAbove } from "../../sim/index.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { insteadOf } from "../no-such.ts";
import { declaredIn, type Located } from "./locate.ts";
import { testsOf } from "../own/tests-of.ts";

/** @throws UsageError when the file or the module is not there */
export function fileModule(file: string, module: string | undefined): Located {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`${file}: there is no such file`);
  const names = declaredIn(readFileSync(path, "utf8"));
  if (names.length === 0)
    throw new UsageError(`${file} has no module: write \`export const Name = module("Name", ...)\``);
  const chosen = module ?? (names.length === 1 ? names[0] : undefined);
  if (chosen === undefined) throw new UsageError(`${file} has ${names.join(", ")}: choose with --module <name>`);
  if (!names.includes(chosen)) throw new UsageError(`${file} has no module ${chosen}; ${insteadOf(chosen, names)}`);
  const root = packageAbove(dirname(path));
  return { module: chosen, file: relative(root, path), root };
}

/** The tests of the project that import the module's file. @throws UsageError when there is none */
export function fileTests(where: Located, file: string): readonly string[] {
  const root = where.root ?? "",
    tests = testsOf(resolve(file), root);
  if (tests.length === 0)
    throw new UsageError(
      `no test below ${root} imports ${file}: write a bench of ${where.module}, or name tests with --tests`,
    );
  return tests;
}
