import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheLimit, existsProcess, trimCache } from "./cache-bound.ts";
import { cacheRoot } from "./cache-root.ts";
import { toolsUntil } from "./run.ts";

/** SHA-256 over parts, each prefixed by its length so that no two lists collide; 32 hexadecimal digits. */
export function digest(parts: readonly (string | Uint8Array)[]): string {
  const h = createHash("sha256");
  for (const p of parts) {
    h.update(`${p.length}:`);
    h.update(p);
  }
  return h.digest("hex").slice(0, 32);
}

/** Where an entry is built and kept. */
export interface Place {
  /** The folder that is filled. */
  readonly temporary: string;
  /** The folder that it becomes. */
  readonly dir: string;
  /** Who builds it: a file that holds the number of a process. */
  readonly lock: string;
}

/**
 * A content-addressed folder `<kind>/<key>`. When it is not there, `build` fills a temporary folder, which is then
 * renamed into place. A reader sees all of it or nothing, and a file that may be loaded is never overwritten. Processes
 * that want the same key build it once: the others wait for the first, and take over when it has died. A build may push
 * out what was used least recently (`trimCache`).
 */
export async function cached(
  kind: string,
  key: string,
  build: (dir: string, place: Place) => Promise<void>,
): Promise<{ readonly dir: string; readonly built: boolean }> {
  const root = cacheRoot(),
    dir = join(root, kind, key);
  if (found(dir)) return { dir, built: false };
  mkdirSync(dirname(dir), { recursive: true });
  const lock = `${dir}.lock`;
  while (!acquire(lock)) {
    toolsUntil.getStore()?.throwIfAborted();
    await new Promise(r => {
      setTimeout(r, 50);
    });
    if (found(dir)) return { dir, built: false };
  }
  const temporary = `${dir}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    if (found(dir)) return { dir, built: false };
    mkdirSync(temporary, { recursive: true });
    await build(temporary, { temporary, dir, lock });
    if (!existsSync(dir)) publish(temporary, dir);
    trimCache(cacheLimit());
    return { dir, built: true };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
    rmSync(lock, { force: true });
  }
}

function publish(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (e) {
    // Another process was faster (its lock was taken for dead): its build is the same.
    if (!existsSync(to)) throw e;
  }
}

function acquire(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== "EEXIST") throw e;
  }
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    // A process number may have been given to another process since: no build takes ten minutes.
    if ((owner > 0 && !existsProcess(owner)) || Date.now() - statSync(lock).mtimeMs > 600_000)
      rmSync(lock, { force: true });
  } catch {
    /* released meanwhile */
  }
  return false;
}

/** Whether an entry is there; it counts as used now. */
export function found(path: string): boolean {
  try {
    const now = new Date();
    utimesSync(path, now, now);
    return true;
  } catch (e) {
    // A cache that may only be read is a cache all the same.
    return (e as NodeJS.ErrnoException).code !== "ENOENT" && existsSync(path);
  }
}
