/** The test files of a user's project that import a file of it, directly or through others. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const isTest = (name: string): boolean => /\.(?:test|spec)\.[cm]?[jt]s$/.test(name);
/** Folders that hold no tests of the project: what others wrote, what is compiled, what a counterexample left. */
const left = new Set(["node_modules", "dist", "out"]);

function testsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(e => {
    const path = join(folder, e.name);
    if (e.isDirectory()) return left.has(e.name) || e.name.startsWith(".") ? [] : testsBelow(path);
    return isTest(e.name) ? [path] : [];
  });
}

const importing = /\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

/** The file that an import means: as it stands, or the TypeScript behind a name in JavaScript. */
function resolved(from: string, to: string): string | undefined {
  const path = resolve(dirname(from), to);
  return [path, path.replace(/js$/, "ts"), `${path}.ts`].find(p => existsSync(p) && /\.[cm]?[jt]s$/.test(p));
}

function reaches(file: string, wanted: string, seen = new Set<string>()): boolean {
  if (file === wanted) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return [...readFileSync(file, "utf8").matchAll(importing)].some(([, to]) => {
    const next = resolved(file, to ?? "");
    return next !== undefined && reaches(next, wanted, seen);
  });
}

/** @param file absolute @returns from the project's folder, in order */
export const testsOf = (file: string, project: string): readonly string[] =>
  testsBelow(project)
    .filter(t => reaches(t, file))
    .map(t => relative(project, t))
    .sort();
