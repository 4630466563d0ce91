/** A campaign's name: the content of its file, and the state of the project that it is run on. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contentKey } from "../cache.ts";
import { UsageError } from "../../designs/shared/command-line/index.ts";

/** The text of a value with the keys of objects in order: the same value, however it is written. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === undefined) return "null";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`).join(",")}}`;
}

/** Folders whose files decide what a piece does; what is only written about it does not. */
const sources = ["hdl-dsl", "designs", "sim", "cli", "test", "scripts", "examples", "package-lock.json"];

/**
 * The commit; of a tree that differs from it, also a hash of the differences (`1a2b3c4+5d6e7f80`).
 * @throws UsageError where there is no git, or no commit
 */
export function stateOf(folder: string): string {
  const git = (...args: readonly string[]): string => {
    try {
      return execFileSync("git", ["-C", folder, ...args], {
        encoding: "utf8",
        maxBuffer: 2 ** 30,
        stdio: ["ignore", "pipe", "ignore"],
      });
    } catch {
      throw new UsageError("a campaign is named by its commit, and git tells none here; work in a clone with git");
    }
  };
  const commit = git("rev-parse", "HEAD").trim(),
    changed = git("diff", "HEAD", "--binary", "--", ...sources),
    added = git("ls-files", "--others", "--exclude-standard", "-z", "--", ...sources)
      .split("\0")
      .filter(Boolean)
      .sort();
  if (changed === "" && added.length === 0) return commit;
  const hash = createHash("sha256").update(changed);
  for (const f of added) hash.update(`\0${f}\0`).update(readFileSync(join(folder, f)));
  return `${commit}+${hash.digest("hex").slice(0, 8)}`;
}

/** 16 hexadecimal digits. */
export const identityOf = (spec: unknown, state: string): string => contentKey([canonical(spec), state]).slice(0, 16);
/** For people: seven digits of the commit, and the mark of a changed tree. */
export const shortState = (state: string): string => state.replace(/^([0-9a-f]{7})[0-9a-f]*/, "$1");
