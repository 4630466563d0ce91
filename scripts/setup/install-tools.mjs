import { spawnSync } from "node:child_process";
import { findTool } from "./tools.mjs";
import { SetupError } from "./setup-error.mjs";

/** @typedef {import("./tools.mjs").Tool} Tool */

/** @param {readonly string[]} words @returns {string} `a, b and c` */
const listed = words =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;

/** @param {readonly string[]} command @param {"inherit" | "ignore"} output */
function run([program = "", ...args], output) {
  // What is installed is no part of the job's output: it goes to the terminal by way of stderr.
  const out = output === "inherit" ? 2 : "ignore";
  return spawnSync(program, args, { stdio: ["ignore", out, out] }).status === 0;
}

/**
 * The command before apt-get's, when this user may install packages without being asked for anything.
 * @returns {readonly string[] | undefined}
 */
function privilege() {
  if (!run(["apt-get", "--version"], "ignore")) return undefined;
  if (process.getuid?.() === 0) return [];
  return run(["sudo", "-n", "true"], "ignore") ? ["sudo", "-n"] : undefined;
}

/** @param {readonly Tool[]} missing @returns {string} the sentence that says what to install, and how */
export function installSentence(missing) {
  const are = missing.length === 1 ? "is" : "are";
  return `${listed(missing.map(t => t.name))} ${are} missing: install ${missing.length === 1 ? "it" : "them"} (Debian or Ubuntu: sudo apt-get install ${missing
    .map(t => t.debian)
    .join(" ")}) and run this again.`;
}

/**
 * Installs the tools that are not there through apt, or throws with the sentence that says what to install.
 * @param {readonly Tool[]} wanted
 * @param {(sentence: string) => void} [without] is told instead, where nothing can be installed
 */
export function installTools(wanted, without) {
  const missing = wanted.filter(t => findTool(t) === undefined);
  if (missing.length === 0) return;
  const before = privilege();
  if (before === undefined) {
    const sentence = installSentence(missing);
    if (without === undefined) throw new SetupError(sentence);
    without(sentence);
    return;
  }
  console.error(
    `Installing ${listed(missing.map(t => t.name))} (apt-get install ${missing.map(t => t.debian).join(" ")}) ...`,
  );
  const apt = [...before, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"];
  // A stale or partly reachable list may still do: the installation itself decides.
  run([...apt, "update"], "inherit");
  run([...apt, "install", "-y", "--no-install-recommends", ...missing.map(t => t.debian)], "inherit");
  const still = missing.filter(t => findTool(t) === undefined);
  if (still.length > 0)
    throw new SetupError(`apt-get did not install everything (its message is above); ${installSentence(still)}`);
}
