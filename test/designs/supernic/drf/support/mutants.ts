/** The software with a fault planted in its source, as a module of its own. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import type * as software from "../../../../../designs/supernic/drf/index.ts";
import { root } from "../../../../../scripts/setup/paths.mjs";

type Software = Pick<typeof software, "drfExact" | "drfFixed">;
const folder = join(root, "designs/supernic/drf");

/** @throws when no file has the text, or more than one place: a fault that was not planted proves nothing */
export async function mutant(from: string, to: string): Promise<Software> {
  const files = readdirSync(folder).map(name => ({ name, text: readFileSync(join(folder, name), "utf8") })),
    places = files.reduce((n, f) => n + f.text.split(from).length - 1, 0);
  if (places !== 1) throw new Error(`${places} places have ${from}: plant the fault in one`);
  const place = mkdtempSync(join(tmpdir(), "mnemo-drf-"));
  try {
    const formats = readFileSync(join(root, "designs/supernic/config/drf.ts"), "utf8");
    for (const { name, text } of [...files, { name: "formats.ts", text: formats }]) {
      const imports = text.replace(from, () => to).replaceAll("../config/index.ts", "./formats.ts");
      const script = ts.transpile(imports, { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 });
      writeFileSync(join(place, name.replace(/\.ts$/, ".mjs")), script.replaceAll(/\.ts"/g, '.mjs"'));
    }
    return (await import(/* @vite-ignore */ pathToFileURL(join(place, "index.mjs")).href)) as Software;
  } finally {
    rmSync(place, { recursive: true });
  }
}
