/**
 * The manual's examples. Each compiles as a user would compile it, elaborates, passes three linters, and shows its
 * present Verilog. `MNEMO_UPDATE=1 npx vitest run test/docs/manual` writes it anew. Benches run.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, describe, expect, test } from "vitest";
import { lintDesign } from "../../../cli/lint/lint.ts";
import { type Def, emit } from "../../../hdl-dsl/index.ts";
import { type Block, chapters, type Example, examplesOf, manual, root, withTexts } from "./chapters.ts";

const update = process.env["MNEMO_UPDATE"] === "1";
const book = chapters(),
  examples = book.flatMap(examplesOf);
const isBench = (e: Example): boolean => e.file.endsWith(".test.ts");
/** Programs that are compiled only: they need tools that not every machine has. */
const isScript = (e: Example): boolean => e.file.endsWith(".script.ts");
const modules = examples.filter(e => !isBench(e) && !isScript(e)),
  benches = examples.filter(isBench);

/** The examples as files of their own, so that names and positions come from them. */
const folder = resolve(root, `out/manual-${process.pid}`);
mkdirSync(folder, { recursive: true });
for (const e of examples) {
  const text = e.text
    .replaceAll('"mnemosyne"', '"../../hdl-dsl/index.ts"')
    .replaceAll('"mnemosyne/sim"', '"../../sim/index.ts"')
    .replaceAll('"mnemosyne/', '"../../');
  const calls = e.shown.map(v => `  ${JSON.stringify(v.info)}: () => ${v.info},\n`).join("");
  writeFileSync(resolve(folder, e.file), `${text}\n${calls === "" ? "" : `export const shown = {\n${calls}};\n`}`);
}
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = async (e: Example): Promise<Record<string, unknown>> =>
  (await import(/* @vite-ignore */ pathToFileURL(resolve(folder, e.file)).href)) as Record<string, unknown>;
const defOf = async (e: Example, shown: Block): Promise<Def> =>
  ((await load(e))["shown"] as Readonly<Record<string, () => Def>>)[shown.info]?.() as Def;

test("file names are told once, and every module shows its Verilog", () => {
  expect(new Set(examples.map(e => e.file)).size).toBe(examples.length);
  expect(modules.filter(e => e.shown.length === 0).map(e => `${e.chapter}: ${e.file}`)).toEqual([]);
  expect(book.length).toBeGreaterThanOrEqual(12);
});

/** Messages of the compiler for files of the folder, under the settings of the project. */
function complaints(names: readonly string[]): readonly string[] {
  const options =
    ts.getParsedCommandLineOfConfigFile(
      resolve(root, "tsconfig.json"),
      {},
      { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
    )?.options ?? {};
  const files = names.map(f => resolve(folder, f)),
    program = ts.createProgram(files, { ...options, noEmit: true });
  return files
    .flatMap(f => program.getSemanticDiagnostics(program.getSourceFile(f)))
    .map(
      d =>
        `${d.file?.fileName.split("/").at(-1) ?? ""}:${d.file === undefined ? "" : d.file.getLineAndCharacterOfPosition(d.start ?? 0).line + 1} ${ts.flattenDiagnosticMessageText(d.messageText, " ")}`,
    );
}

test("every example compiles under the settings of the project; one that does not is seen", () => {
  writeFileSync(
    resolve(folder, "planted.ts"),
    'import { uint } from "../../hdl-dsl/index.ts";\nexport const wrong: string = uint(8);\n',
  );
  expect(complaints([...examples.map(e => e.file), "planted.ts"])).toEqual([
    expect.stringMatching(/^planted\.ts:2 Type 'UIntShape<8>' is not assignable to type 'string'/) as string,
  ]);
});

describe.each(book.filter(c => examplesOf(c).some(e => e.shown.length > 0)))("$name", chapter => {
  const shown = examplesOf(chapter).flatMap(e => e.shown.map(block => ({ e, block })));
  test("shows what its examples give", async () => {
    const texts = new Map(
      await Promise.all(
        shown.map(
          async ({ e, block }) => [block, (emit(await defOf(e, block)).files.at(-1)?.text ?? "").trimEnd()] as const,
        ),
      ),
    );
    if (update) {
      writeFileSync(resolve(manual, chapter.name), withTexts(chapter, texts));
      return;
    }
    for (const [block, text] of texts)
      expect(block.text, `old Verilog for ${block.info}: run MNEMO_UPDATE=1 npx vitest run test/docs/manual`).toBe(
        text,
      );
  });
  test("passes verilator, yosys and iverilog", async () => {
    for (const { e, block } of shown) expect(await lintDesign(emit(await defOf(e, block))), block.info).toEqual([]);
  });
});

// A bench registers its tests as it is loaded.
for (const e of benches) await load(e);

test("an update replaces the block's text and nothing else", () => {
  const text = "```ts a.ts\nx\n```\n```verilog A()\nold\n```\nend\n",
    parts = { name: "a.md", text, blocks: [{ language: "verilog", info: "A()", text: "old", line: 4, lines: 1 }] };
  expect(withTexts(parts, new Map([[parts.blocks[0] as Block, "new\nlines"]]))).toBe(
    "```ts a.ts\nx\n```\n```verilog A()\nnew\nlines\n```\nend\n",
  );
});
