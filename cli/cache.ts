import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../scripts/setup/paths.mjs";

/** SHA-256 over parts, each with its length so that no two lists collide; 32 hexadecimal digits. */
export function contentKey(parts: readonly string[]): string {
  const h = createHash("sha256");
  for (const p of parts) h.update(`${p.length}:`).update(p);
  return h.digest("hex").slice(0, 32);
}

/** Where results are kept: `MNEMO_CACHE` of the environment, else `.cache` of the project. */
const folderOf = (kind: string): string => join(process.env["MNEMO_CACHE"] ?? join(root, ".cache"), kind);

/**
 * A result that depends on nothing but what its key is made of: found again, or computed and kept.
 * @param kind folder of the cache @param key of `contentKey`, over everything that the result depends on,
 * tool versions included
 */
export async function remembered<T>(
  kind: string,
  key: string,
  compute: () => Promise<T>,
): Promise<{ readonly value: T; readonly fresh: boolean }> {
  const folder = folderOf(kind),
    path = join(folder, `${key}.json`);
  try {
    return { value: JSON.parse(readFileSync(path, "utf8")) as T, fresh: false };
  } catch (e) {
    // A damaged file is made anew; anything but that and a missing one is the user's to see.
    if (!(e instanceof SyntaxError) && (e as NodeJS.ErrnoException).code !== "ENOENT") throw e;
  }
  const value = await compute(),
    temporary = `${path}.${process.pid}.tmp`;
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(temporary, JSON.stringify(value));
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  return { value, fresh: true };
}
