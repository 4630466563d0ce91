/**
 * The packaged extension in VS Code itself, in a browser. MNEMO_CODE_SERVER names the program that
 * `node editor/vscode/get-editor.mjs <folder>` prints, MNEMO_CHROMIUM a browser that is not on the path.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf } from "../../editor/vscode/src/commands.ts";
import { chromium } from "../cli/figures/browser.ts";
import { hangMs } from "../support/hang-ms.ts";
import { inWorkbench, type Workbench } from "./workbench.ts";

const browser = chromium(),
  server = process.env["MNEMO_CODE_SERVER"] ?? "",
  ready = browser !== undefined && server !== "";
if (!ready)
  console.log(
    `The extension is not run in VS Code: ${browser === undefined ? "no Chromium (MNEMO_CHROMIUM)" : "MNEMO_CODE_SERVER names no editor"}; docs/editor.md says how.`,
  );

const project = resolve(`out/editor-${process.pid}`),
  source = `// mnemo: --set width=8\n${readFileSync("docs/examples/counter.ts", "utf8")}`,
  pair = `import { bit, input, instance, module, output, uint } from "../../hdl-dsl/index.ts";
import { Counter } from "./counter.ts";

/** Two counters in turn. */
export const Pair = module("Pair", () => ({ go: input(bit), low: output(uint(8)), high: output(uint(8)) }), io => {
  const low = instance(Counter({ width: 8 })),
    high = instance(Counter({ width: 8 }));
  low.en.set(io.go);
  low.clear.set(0);
  high.en.set(low.count.eq(255));
  high.clear.set(0);
  io.low.set(low.count);
  io.high.set(high.count);
});
`,
  emitted = join(project, folderOf("counter.ts"), "Counter_width8.v");
const lineOf = (text: string, part: string): number => text.split("\n").findIndex(l => l.includes(part)) + 1;
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Line of the cursor and name of the file of the editor at hand, as the status bar and the tab say. */
const place = `(() => {
  const line = /Ln (\\d+)/.exec(document.querySelector("#status\\\\.editor\\\\.selection")?.textContent ?? "")?.[1],
    tab = document.querySelector(".editor-group-container.active .tab.active")?.getAttribute("data-resource-name");
  return line && tab && tab + ":" + line;
})()`;
const at = (w: Workbench, wanted: string): Promise<unknown> => w.until(`${place} === ${JSON.stringify(wanted)}`);

describe.skipIf(!ready)("in VS Code (where there is one)", () => {
  it("hover, jumps, problems and schematic of the counter", { timeout: hangMs }, async () => {
    mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
    symlinkSync(resolve("cli/mnemo.mjs"), join(project, "node_modules/.bin/mnemo"));
    writeFileSync(join(project, "package.json"), '{ "type": "module" }\n');
    writeFileSync(join(project, "counter.ts"), source);
    writeFileSync(join(project, "pair.ts"), pair);
    const vsix = join(project, "mnemosyne.vsix");
    execFileSync(process.execPath, ["editor/vscode/package.mjs", vsix]);
    await inWorkbench(browser ?? "", vsix, project, "counter.ts", async w => {
      await w.until('document.querySelector(".view-lines")?.textContent.includes("Counts")');
      await w.keep("open");
      await hovers(w);
      await jumps(w);
      await problems(w);
      await schematic(w);
    });
  });
});

async function hovers(w: Workbench): Promise<void> {
  const wanted = "value: reg of 8 bits, value in Counter_width8, the default domain";
  await w.over(
    "value",
    "const value",
    `[...document.querySelectorAll(".monaco-hover")].some(h => h.innerText.includes(${JSON.stringify(wanted)}))`,
  );
  await w.keep("hover");
  await w.key("Escape", 27);
}

async function jumps(w: Workbench): Promise<void> {
  await w.choose("value", "const value");
  const line = lineOf(source, "const value");
  await at(w, `counter.ts:${line}`);
  await w.command("Mnemosyne: Go to the Verilog of This Line");
  // The declaration and the reset are both of this line: the texts beside them say which is which.
  const chosen =
    '[...document.querySelectorAll(".quick-input-list .monaco-list-row")].find(r => r.innerText.includes("reg [7:0] value"))';
  await w.until(`${chosen} !== undefined`);
  await w.keep("choice");
  await w.click(chosen);
  await at(w, `Counter_width8.v:${lineOf(readFileSync(emitted, "utf8"), "reg [7:0] value")}`);
  await w.keep("verilog");
  await w.command("Mnemosyne: Go to the TypeScript of This Line");
  await at(w, `counter.ts:${line}`);
  await w.keep("back");
  // The way back is to where the file is seen already, not to a third column.
  expect(await w.page.evaluate('document.querySelectorAll(".editor-group-container").length')).toBe(2);
}

async function problems(w: Workbench): Promise<void> {
  const rows = '[...document.querySelectorAll(".markers-panel .monaco-list-row")].map(r => r.innerText).join("\\n")';
  await w.choose("count", "io.count.set");
  await w.type("clear");
  await w.command("File: Save");
  await w.command("Problems: Focus on Problems View");
  const said = await w.until<string>(`(t => /mnemosyne/.test(t) && t)(${rows})`);
  await w.keep("problem");
  expect(said).toMatch(new RegExp(`mnemosyne\\s+HDL\\d+\\s+\\[Ln ${lineOf(source, "io.count.set")},`));
  await w.choose("clear", "io.clear.set");
  await w.type("count");
  await w.command("File: Save");
  await w.until(`!/mnemosyne/.test(${rows})`);
}

/** Of a module with two in it: of one without any, the picture is its ports. */
async function schematic(w: Workbench): Promise<void> {
  await w.click(
    '[...document.querySelectorAll(".explorer-folders-view .monaco-list-row")].find(r => r.innerText.trim() === "pair.ts")',
  );
  await at(w, "pair.ts:1");
  await w.command("Mnemosyne: Show the Schematic Beside");
  const inner =
      'document.querySelector("iframe.webview")?.contentDocument?.querySelector("#active-frame")?.contentDocument',
    shown = await w.until<string>(`${inner}?.querySelector("svg")?.textContent`);
  for (const arrow of ["go to low_1 en", "low_1 count to high_1 en", "high_1 count to high"])
    expect(shown).toContain(arrow);
  await w.keep("schematic");
}
