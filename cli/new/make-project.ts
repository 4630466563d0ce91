import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { projectFiles } from "./files.ts";
import { tarballOf } from "./tarball.ts";

/** @throws UsageError when something is there already: nothing of the user's is overwritten */
function refuseWhatIsThere(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file; name a new folder, or an empty one`);
  if (readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty; name a new folder, or an empty one`);
}

/** What npm takes as a name, of a folder's. */
const packageName = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "") || "hardware";

/**
 * Writes the project. The package's tarball is copied into it, so that a CI machine can install from a clone.
 * @returns the files, from where the command was given
 */
export function makeProject(folder: string, wanted: string | undefined): readonly string[] {
  refuseWhatIsThere(folder);
  const tarball = tarballOf(wanted),
    vendored = `vendor/${basename(tarball)}`,
    files = projectFiles(packageName(folder), vendored);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, "vendor"));
  copyFileSync(tarball, join(folder, vendored));
  return [...Object.keys(files), vendored].map(path => join(folder, path));
}
