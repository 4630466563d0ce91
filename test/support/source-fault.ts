/** A folder of software with a fault planted in its source, as a module of its own. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { root } from "../../scripts/setup/paths.mjs";

/**
 * @param folder from the project's: its files import one another, and what `beside` has
 * @param beside what the files import from elsewhere, and the file that it is, from the project's
 * @returns what index.ts exports
 * @throws when no file has the text, or more than one place: a fault that was not planted proves nothing
 */
export async function withSourceFault(
  folder: string,
  from: string,
  to: string,
  beside: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const read = (path: string): string => readFileSync(join(root, path), "utf8"),
    files = readdirSync(join(root, folder))
      .filter(name => name.endsWith(".ts"))
      .map(name => ({ name, text: read(`${folder}/${name}`) })),
    places = files.reduce((n, f) => n + f.text.split(from).length - 1, 0);
  if (places !== 1) throw new Error(`${places} places have ${from}: plant the fault in one`);
  const others = Object.entries(beside).map(([imported, path], i) => ({ imported, path, name: `beside${i}.ts` }));
  const place = mkdtempSync(join(tmpdir(), "mnemo-planted-"));
  try {
    for (const { name, text } of [...files, ...others.map(o => ({ name: o.name, text: read(o.path) }))]) {
      const imports = others.reduce(
        (t, o) => t.replaceAll(`"${o.imported}"`, `"./${o.name}"`),
        text.replace(from, () => to),
      );
      const script = ts.transpile(imports, { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 });
      writeFileSync(join(place, name.replace(/\.ts$/, ".mjs")), script.replaceAll(/\.ts"/g, '.mjs"'));
    }
    return await import(/* @vite-ignore */ pathToFileURL(join(place, "index.mjs")).href);
  } finally {
    rmSync(place, { recursive: true });
  }
}
