/** Files that are no TypeScript, and that code finds beside itself: `new URL("...", import.meta.url)`. */
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** @param {string} folder @returns {string[]} all files below, with their paths */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(e => e.isFile())
    .map(e => join(e.parentPath, e.name));
}

const named = /new URL\(\s*(["`])(\.[^"`]*)\1,\s*import\.meta\.url/g;

/**
 * The files that a path names, `${...}` in it for any name that ends so.
 * @param {string} path with `/` @returns {string[]}
 */
function filesOf(path) {
  const ending = /\$\{[^}]*\}([^/$]*)$/.exec(path)?.[1];
  if (ending === undefined) return existsSync(path) && statSync(path).isFile() ? [path] : [];
  const folder = dirname(path);
  // A name without an ending of its own is a module's, which the compiler has made.
  return ending === "" || !existsSync(folder)
    ? []
    : readdirSync(folder)
        .filter(f => f.endsWith(ending))
        .map(f => join(folder, f));
}

/**
 * Puts each such file where the compiled code looks for it. What is not there is for the repository alone.
 * @param {string} root the repository's folder @param {string} dist where its JavaScript is
 */
export function copyAssets(root, dist) {
  for (const file of filesBelow(dist).filter(f => f.endsWith(".js"))) {
    for (const [, , path = ""] of readFileSync(file, "utf8").matchAll(named)) {
      const wanted = relative(dist, join(dirname(file), path));
      if (wanted.startsWith("..")) continue;
      for (const source of filesOf(join(root, wanted))) {
        const copy = join(dist, relative(root, source));
        if (!existsSync(copy)) cpSync(source, copy, { recursive: true });
      }
    }
  }
  // C++ that is compiled on the user's machine.
  cpSync(join(root, "sim/backend/native"), join(dist, "sim/backend/native"), { recursive: true });
}
