/** Files that are there whole or not at all, whenever the machine stops. */
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** How a file is opened for writing; a test gives one whose disk is full. */
export type Open = (path: string) => number;
const exclusively: Open = path => openSync(path, "wx");

/** Ending of files that are not whole yet. */
export const unfinished = ".tmp";
let written = 0;

/** Puts a folder's entries on the disk; not every system can. */
function syncFolder(path: string): void {
  try {
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (e) {
    if (!["EISDIR", "EPERM", "EINVAL", "EACCES"].includes((e as NodeJS.ErrnoException).code ?? "")) throw e;
  }
}

/**
 * Writes beside the file, puts that on the disk and gives it its name.
 * @throws the system's error, with the file's path; nothing is left behind
 */
export function writeWhole(path: string, text: string, open: Open = exclusively): void {
  const beside = `${path}.${process.pid}-${written++}${unfinished}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const fd = open(beside);
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(beside, path);
    syncFolder(dirname(path));
  } catch (e) {
    rmSync(beside, { force: true });
    // An error of `write` names no path, and a sentence for the user needs one.
    const error = e as NodeJS.ErrnoException;
    error.path ??= path;
    throw error;
  }
}
