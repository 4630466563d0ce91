/** One campaign a folder: a file with the number of the process that has it. */
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../designs/shared/command-line/index.ts";

interface Holder {
  readonly pid: number;
  /** When the process began: a number is given again, this pair is not. Empty where the system does not tell. */
  readonly begun: string;
  readonly host: string;
}

/** Ticks from the machine's start to the process's, and which start that was. Empty: no such process, or not told. */
function begunAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8"),
      boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // The name, in parentheses, may have spaces in it; the time is the 22nd field.
    return `${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""}@${boot}`;
  } catch {
    return "";
  }
}
function alive({ pid, begun }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (e) {
    return (e as NodeJS.ErrnoException).code === "EPERM";
  }
  return begun === "" || begunAt(pid) === begun;
}

function holderIn(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Holder;
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw e;
  }
}

/** Puts a whole file under its name unless there is one. @returns whether it did */
function claims(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw e;
  }
}

/**
 * Takes the folder. A holder that has died on this machine is followed; of another machine nobody here can tell.
 * @returns what gives it back @throws UsageError in one sentence when another process has it
 */
export function lockFolder(folder: string, name = "lock"): () => void {
  const path = join(folder, name),
    own = `${path}.${process.pid}`,
    me: Holder = { pid: process.pid, begun: begunAt(process.pid), host: hostname() };
  writeFileSync(own, JSON.stringify(me));
  try {
    for (;;) {
      if (claims(own, path)) return () => rmSync(path, { force: true });
      const holder = holderIn(path);
      if (holder === undefined) continue;
      if (holder.host !== me.host)
        throw new UsageError(
          `${folder} is another campaign's, process ${holder.pid} on ${holder.host}; wait for it, or remove ${path} when that is no more`,
        );
      if (alive(holder))
        throw new UsageError(
          `${folder} is another campaign's, process ${holder.pid}; wait for it, or name another folder by --out`,
        );
      removeDead(path, own, holder);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Milliseconds between two looks at a guard that another process has for a moment. */
const shortly = 5;

/**
 * Removes a dead holder's file. Only who has the guard may remove one, and he looks again first: so nobody removes the
 * file of one who has been faster. @throws UsageError when the guard's own holder has died
 */
function removeDead(path: string, own: string, dead: Holder): void {
  const guard = `${path}.guard`;
  if (!claims(own, guard)) {
    const holder = holderIn(guard);
    if (holder !== undefined && !alive(holder))
      throw new UsageError(`${guard} is of process ${holder.pid}, which is no more; remove it and run this again`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, shortly);
    return;
  }
  try {
    const now = holderIn(path);
    if (now?.pid === dead.pid && now.begun === dead.begun) rmSync(path);
  } finally {
    rmSync(guard, { force: true });
  }
}
