/** The manual page: its examples compile and elaborate, the Verilog beside them is current, and every message code is listed. `MNEMO_UPDATE=1` writes the Verilog anew. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, describe, expect, test } from "vitest";
import { emit, type Def } from "../../../hdl-dsl/index.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const page = resolve(root, "docs/language.md");
/** The examples as files of their own, so that names and positions come from them. Two folders deep, as docs/ is one: imports gain a step. */
const folder = resolve(root, `out/language-examples-${process.pid}`);

interface Block { readonly info: string; readonly text: string; readonly from: number; readonly to: number }
const lines = readFileSync(page, "utf8").split("\n");
const blocks = (language: string): Block[] => {
  const out: Block[] = [];
  for (let i = 0; i < lines.length; i++) {
    const info = new RegExp(`^\`\`\`${language} (.+)$`).exec(lines[i] as string)?.[1];
    if (info === undefined) continue;
    const to = lines.indexOf("```", i);
    out.push({ info, text: lines.slice(i + 1, to).join("\n"), from: i + 1, to });
  }
  return out;
};
const examples = blocks("ts"), verilog = blocks("verilog");

/** The example that stands last before a Verilog block is the one that it shows. */
const shownBy = (v: Block): Block => examples.filter(e => e.from < v.from).at(-1) as Block;

mkdirSync(folder, { recursive: true });
for (const e of examples) {
  const calls = verilog.filter(v => shownBy(v) === e).map(v => `  ${JSON.stringify(v.info)}: () => ${v.info},`);
  const text = e.text.replaceAll("\"../hdl-dsl/index.ts\"", "\"../../hdl-dsl/index.ts\"");
  writeFileSync(resolve(folder, e.info), calls.length === 0 ? `${text}\n` : `${text}\nexport const shown = {\n${calls.join("\n")}\n};\n`);
}
afterAll(() => { rmSync(folder, { recursive: true, force: true }); });

const load = async (e: Block): Promise<Record<string, unknown>> => await import(/* @vite-ignore */ pathToFileURL(resolve(folder, e.info)).href) as Record<string, unknown>;

describe("docs/language.md", () => {
  test("every example compiles under the settings of the project", () => {
    const options = ts.getParsedCommandLineOfConfigFile(resolve(root, "tsconfig.json"), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined })?.options ?? {};
    const files = examples.map(e => resolve(folder, e.info));
    const program = ts.createProgram(files, { ...options, noEmit: true });
    const errors = files.flatMap(f => program.getSemanticDiagnostics(program.getSourceFile(f))).map(d => `${d.file?.fileName.split("/").at(-1) ?? ""}: ${ts.flattenDiagnosticMessageText(d.messageText, " ")}`);
    expect(errors).toEqual([]);
    expect(examples.length).toBeGreaterThanOrEqual(9);
  });

  test.each(examples)("$info elaborates", async e => {
    const made = Object.values(await load(e)).filter(v => typeof v === "function") as ((p?: unknown) => Def)[];
    expect(made.length).toBeGreaterThan(0);
    // Parameters are in the Verilog blocks; modules without any are taken as they are.
    for (const define of made) if (!e.text.includes("(p: ")) expect(emit(define()).files.length).toBeGreaterThan(0);
  });

  test("the Verilog shown is what the examples give", async () => {
    const wanted = await Promise.all(verilog.map(async v => {
      const shown = (await load(shownBy(v)))["shown"] as Readonly<Record<string, () => Def>>;
      return (emit((shown[v.info] as () => Def)()).files.at(-1)?.text ?? "").trimEnd();
    }));
    if (process.env["MNEMO_UPDATE"] === "1") {
      const text = [...lines];
      for (const [i, v] of [...verilog.entries()].reverse()) text.splice(v.from, v.to - v.from, ...(wanted[i] as string).split("\n"));
      writeFileSync(page, text.join("\n"));
      return;
    }
    verilog.forEach((v, i) => { expect(v.text, `docs/language.md shows old Verilog for ${v.info}: run MNEMO_UPDATE=1 npx vitest run test/hdl-dsl/docs`).toBe(wanted[i]); });
    expect(verilog.length).toBeGreaterThanOrEqual(3);
  });

  test("every code of a message is explained, and none that does not exist", () => {
    const codes = new Set<string>();
    for (const f of readdirSync(resolve(root, "hdl-dsl"), { recursive: true, encoding: "utf8" })) {
      if (f.endsWith(".ts")) for (const m of readFileSync(resolve(root, "hdl-dsl", f), "utf8").matchAll(/"(HDL\d{3})"/g)) codes.add(m[1] as string);
    }
    expect(lines.map(l => /^\| (HDL\d{3}) \|/.exec(l)?.[1]).filter(c => c !== undefined)).toEqual([...codes].sort());
  });
});
