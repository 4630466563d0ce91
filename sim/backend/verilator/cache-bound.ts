import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SimulationError } from "../../errors.ts";
import { cacheRoot } from "./cache-root.ts";

/** Something that is kept: a compiled model, say. */
export interface CacheEntry {
  /** Its folder within the cache, and its name there. */
  readonly kind: string;
  readonly key: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly lastUsed: number;
}
/** What was removed. */
export interface Trimmed {
  readonly entries: number;
  readonly bytes: number;
  /** Entries above the bound that stay, since somebody may be using them. */
  readonly inUse: number;
}

/** Who has asked for an entry may be loading it for so long: it stays. */
export const IN_USE_MS = 600_000;
/** Bytes to which the cache is trimmed unless `MNEMO_CACHE_SIZE` says otherwise. */
const USUAL_BYTES = 4 * 2 ** 30;

const units = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 } as const;

/** `500MB` in bytes; undefined for what is no size. */
export function bytesOf(text: string): number | undefined {
  const [, n, unit] = /^(\d+(?:\.\d+)?)(B|KB|MB|GB)?$/.exec(text) ?? [];
  return n === undefined ? undefined : Math.floor(Number(n) * units[(unit ?? "B") as keyof typeof units]);
}

/** Bytes that the cache may have: `MNEMO_CACHE_SIZE` of the environment, else 4 GB. @throws SimulationError */
export function cacheLimit(): number {
  const given = process.env["MNEMO_CACHE_SIZE"];
  if (given === undefined) return USUAL_BYTES;
  const bytes = bytesOf(given);
  if (bytes === undefined)
    throw new SimulationError(`MNEMO_CACHE_SIZE = ${given} is no size; give one such as 500MB or 4GB, or leave it out`);
  return bytes;
}

/** Names in a folder; none when it is not there (any more). */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
function sizeAndUse(path: string): { readonly bytes: number; readonly lastUsed: number } | undefined {
  try {
    const s = statSync(path);
    if (!s.isDirectory()) return { bytes: s.size, lastUsed: s.mtimeMs };
    const bytes = namesIn(path).reduce((n, name) => n + (sizeAndUse(join(path, name))?.bytes ?? 0), 0);
    return { bytes, lastUsed: s.mtimeMs };
  } catch {
    return undefined;
  }
}

/** Names of what is being made: `<key>.lock`, `<key>.<process>.<random>.tmp`, `<key>.<process>.<random>.gone`. */
const unfinished = /\.lock$|\.(\d+)\.(?:[0-9a-f]+\.)?(?:tmp|gone)$/;

/** All that is kept, least recently used first. What is being made is no part of it. */
export function cacheEntries(): readonly CacheEntry[] {
  const root = cacheRoot();
  return namesIn(root)
    .filter(kind => kind !== "text")
    .flatMap(kind =>
      namesIn(join(root, kind))
        .filter(key => !unfinished.test(key))
        .flatMap(key => {
          const found = sizeAndUse(join(root, kind, key));
          return found ? [{ kind, key, ...found }] : [];
        }),
    )
    .sort((a, b) => a.lastUsed - b.lastUsed);
}

/**
 * Removes what was used least recently until at most `most` bytes are left. Safe beside other processes: an entry of
 * the last ten minutes stays, as its user may be about to load it; an entry goes as a whole; what another process is
 * making is left alone unless that process has died.
 */
export function trimCache(most: number, now: number = Date.now()): Trimmed {
  const root = cacheRoot(),
    all = cacheEntries();
  let left = all.reduce((n, e) => n + e.bytes, 0),
    entries = 0,
    inUse = 0,
    bytes = 0;
  for (const e of all) {
    if (left <= most) break;
    if (now - e.lastUsed < IN_USE_MS) {
      inUse++;
      continue;
    }
    remove(join(root, e.kind, e.key));
    left -= e.bytes;
    bytes += e.bytes;
    entries++;
  }
  removeLeftOvers(root);
  removePointers(root);
  return { entries, bytes, inUse };
}

/** First out of sight, then away: a reader sees all of an entry or nothing. */
function remove(path: string): void {
  const gone = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.gone`;
  try {
    renameSync(path, gone);
  } catch {
    // Another process was faster.
    return;
  }
  rmSync(gone, { recursive: true, force: true });
}

/** What processes that have died had begun to make or to remove. */
function removeLeftOvers(root: string): void {
  for (const kind of namesIn(root))
    for (const name of namesIn(join(root, kind))) {
      const owner = Number(unfinished.exec(name)?.[1]);
      if (owner > 0 && !existsProcess(owner)) rmSync(join(root, kind, name), { recursive: true, force: true });
    }
}

/** Names of models by their Verilog (files in `text`) whose model has gone. */
function removePointers(root: string): void {
  const folder = join(root, "text");
  for (const name of namesIn(folder)) {
    if (unfinished.test(name)) continue;
    const path = join(folder, name);
    try {
      if (!existsSync(join(root, "model", readFileSync(path, "utf8")))) rmSync(path, { force: true });
    } catch {
      /* another process was faster */
    }
  }
}

/** Whether there is a process of this number. */
export function existsProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (e) {
    return (e as NodeJS.ErrnoException).code === "EPERM";
  }
}
