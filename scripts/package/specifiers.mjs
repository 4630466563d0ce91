/** Imports across the borders of packages: what is a path in the repository is a package's name outside. */
import { dirname, join, posix, relative, sep } from "node:path";

/**
 * The package that a compiled file belongs to, and the folder of it that its exports begin at.
 * @param {string} path below dist, with `/` @returns {{ name: string, within: string }}
 */
export function packageOf(path) {
  const [, design = ""] = /^designs\/([^/]+)\//.exec(path) ?? [];
  if (design === "") return { name: "mnemosyne", within: "" };
  return design === "shared"
    ? { name: "mnemosyne", within: "designs/" }
    : { name: `mnemosyne-${design}`, within: `designs/${design}/` };
}

const relativeImport = /((?:\bfrom|\bimport)\s*\(?\s*)(["'])(\.{1,2}\/[^"']+)\2/g,
  bareImport = /(?:\bfrom|\bimport)\s*\(?\s*["']((?:@[^/"']+\/)?[a-z][^/"':]*)(?:\/[^"']*)?["']/g;

/**
 * The text with the imports of other packages by name.
 * @param {string} text @param {string} file its path @param {string} dist the folder of all that is compiled
 * @returns {string} @throws Error for an import past the other package's index
 */
export function withPackageNames(text, file, dist) {
  const own = packageOf(relative(dist, file).split(sep).join("/"));
  /** @param {string} whole @param {string} before @param {string} quote @param {string} path */
  const byName = (whole, before, quote, path) => {
    const target = relative(dist, join(dirname(file), path))
        .split(sep)
        .join("/"),
      other = packageOf(target);
    if (other.name === own.name) return whole;
    const [, place = "", part] = /^((?:(.*)\/index|.*))\.(?:js|ts)$/.exec(target) ?? [];
    // The compiler names the file that declares a type, and not the index that exports it.
    if (part === undefined && file.endsWith(".d.ts")) return `${before}${quote}${other.name}/types/${place}${quote}`;
    if (part === undefined) throw new Error(`${file} imports ${path}, which ${other.name} does not export`);
    return `${before}${quote}${posix.join(other.name, part.slice(other.within.length))}${quote}`;
  };
  return text.replace(relativeImport, byName);
}

/** Names of the packages that a text imports. @param {string} text @returns {string[]} */
export const packagesOf = text => [...text.matchAll(bareImport)].map(([, name = ""]) => name);
