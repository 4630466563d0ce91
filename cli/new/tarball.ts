/**
 * The tarball that a new project installs the language from. It has no registry: the name is somebody else's on npm,
 * so a version number would fetch a stranger's package.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { root } from "../../scripts/setup/paths.mjs";
import { UsageError } from "../../designs/shared/command-line/index.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** The file that the project above an installed package names as its source. */
function installedFrom(name: string): string | undefined {
  const at = /^(.*)[\\/]node_modules[\\/]/.exec(root)?.[1];
  if (at === undefined || !existsSync(join(at, "package.json"))) return undefined;
  const { dependencies, devDependencies } = manifestOf(at),
    spec = { ...devDependencies, ...dependencies }[name];
  return spec?.startsWith("file:") === true ? resolve(at, spec.slice("file:".length)) : undefined;
}

/** @param wanted the user's choice @throws UsageError in one sentence when there is none */
export function tarballOf(wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (existsSync(wanted)) return wanted;
    throw new UsageError(`--package ${wanted}: there is no such file`);
  }
  const { name, version } = manifestOf(root),
    places = [installedFrom(name), join(root, `${name}-${version}.tgz`)];
  const found = places.find(p => p?.endsWith(".tgz") === true && existsSync(p));
  if (found === undefined)
    throw new UsageError(
      `there is no ${name}-${version}.tgz to install from; run npm pack in a clone of the repository and give the file with --package`,
    );
  return resolve(dirname(found), found);
}
