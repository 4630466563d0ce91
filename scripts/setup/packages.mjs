import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { SetupError } from "./setup-error.mjs";

/**
 * @typedef {{
 *   readonly version?: string; readonly integrity?: string; readonly optional?: boolean; readonly peer?: boolean;
 *   readonly devOptional?: boolean;
 * }} LockedPackage
 * @typedef {{ readonly packages: Readonly<Record<string, LockedPackage>> }} Lock
 */

/**
 * What differs between the packages asked for and those installed; npm writes `node_modules/.package-lock.json` last,
 * so an installation that was cut short counts as none. Optional packages (other machines' binaries) may be missing.
 * @param {Lock} wanted @param {Lock} installed
 * @returns {string | undefined} the first package that differs
 */
export function firstDifference(wanted, installed) {
  const paths = new Set([...Object.keys(wanted.packages), ...Object.keys(installed.packages)]);
  paths.delete("");
  return [...paths].find(path => {
    const w = wanted.packages[path],
      i = installed.packages[path];
    if (w === undefined) return true;
    if (i === undefined) return w.optional !== true && w.devOptional !== true && w.peer !== true;
    return w.version !== i.version || w.integrity !== i.integrity;
  });
}

/** @param {string} path @returns {Lock | undefined} */
function readLock(path) {
  try {
    /** @type {unknown} */
    const lock = JSON.parse(readFileSync(path, "utf8"));
    return typeof lock === "object" && lock !== null && "packages" in lock ? /** @type {Lock} */ (lock) : undefined;
  } catch {
    return undefined;
  }
}

/** Runs `npm ci` unless node_modules holds just what package-lock.json says. */
export function installPackages() {
  const wanted = readLock(join(root, "package-lock.json"));
  if (wanted === undefined)
    throw new SetupError(
      "package-lock.json is missing or damaged: restore it (git checkout package-lock.json) and run this again.",
    );
  const installed = readLock(join(root, "node_modules", ".package-lock.json"));
  if (installed !== undefined && firstDifference(wanted, installed) === undefined) return;
  console.error("Installing the npm packages (npm ci) ...");
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund"];
  // npm names itself to what it runs; started by hand (`node scripts/bootstrap.mjs test`), take it from the PATH.
  const npm = process.env["npm_execpath"];
  const result =
    npm?.endsWith(".js") === true
      ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ["ignore", 2, 2] })
      : spawnSync("npm", args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.error !== undefined)
    throw new SetupError("npm is not on the PATH: install npm (it comes with Node) and run this again.");
  if (result.status !== 0)
    throw new SetupError(
      "npm ci failed (its message is above): mend that, most often the network, and run this again.",
    );
}
