/**
 * What the harness asks of the runtime under it, here Node. A bundler for browsers takes `host-browser.ts` in its place
 * (`browser` in package.json).
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { threadId } from "node:worker_threads";
import { projectFolder } from "./project.ts";

/** A value that follows the code through its awaits. */
export { AsyncLocalStorage as Following } from "node:async_hooks";

/** A variable of the environment. */
export const environment = (name: string): string | undefined => process.env[name];
/** Says a text on the terminal, beside the output. */
export const say = (text: string): void => {
  process.stderr.write(text);
};
/** Called from a microtask: calls `then` once no promise is left that could settle by itself. */
export const afterPromises = (then: () => void): void => process.nextTick(then);
/** Calls `then` after timers and I/O of the process had their turn. */
export const afterOthers = (then: () => void): void => {
  setImmediate(then);
};

/** A path from the folder of the process. */
export const fromHere = (path: string): string => relative(process.cwd(), path);

/** Adds to this process's own file of a folder, which is made. */
export function addToOwnFile(folder: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}-${threadId}.jsonl`), text);
}

/** The file for a wave, its folder made; `shown`: how people read its path. */
export function waveFile(name: string, folder: string | undefined): { readonly path: string; readonly shown: string } {
  const into = folder ?? resolve(projectFolder(), "out/waves"),
    path = resolve(into, name);
  mkdirSync(into, { recursive: true });
  return { path, shown: fromHere(path) };
}
