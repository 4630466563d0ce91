/** A folder of a test file, and waiting for what a process does. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Made at once, removed behind the last test. @returns a path in it, another one each time */
export function scratch(name: string): (part: string) => string {
  const folder = mkdtempSync(join(tmpdir(), `mnemo-${name}-`));
  let made = 0;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return part => join(folder, `${made++}-${part}`);
}

/** A hang ends the test by its own limit. */
export async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise(done => setTimeout(done, 5));
}

/** The starts of pieces: seeds and processes, as they came. */
export function startsIn(log: string): readonly { readonly seed: number; readonly pid: number }[] {
  if (!existsSync(log)) return [];
  return readFileSync(log, "utf8")
    .split("\n")
    .filter(l => l !== "")
    .map(l => {
      const [seed = "", pid = ""] = l.split(" ");
      return { seed: Number(seed), pid: Number(pid) };
    });
}
export const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(f => /\.(?:json|tmp)$/.test(f))
    : [];
/** Whether a process is there and no zombie. */
export function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
