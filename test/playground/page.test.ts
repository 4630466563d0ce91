/**
 * The page in a real browser, light and dark, as wide as a screen and as a phone. Only where there is a Chromium;
 * MNEMO_CHROMIUM names one. MNEMO_SCREENSHOTS names a folder that keeps the pictures.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { siteFiles } from "../../cli/playground/site.ts";
import { chromium } from "../cli/figures/browser.ts";
import { type Page, withPage } from "./devtools.ts";

const program = chromium(),
  kept = process.env["MNEMO_SCREENSHOTS"] ?? "";
if (program === undefined)
  console.log(
    "The playground is not looked at in a browser: no chromium, chromium-browser or google-chrome on the path; install one, or name one by MNEMO_CHROMIUM.",
  );

const text = (p: Page, selector: string): Promise<string> =>
  p.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`).then(String);
/** Waits until an element has such a text. */
async function until(p: Page, selector: string, wanted: RegExp): Promise<string> {
  for (;;) {
    const found = await text(p, selector);
    if (wanted.test(found)) return found;
    await new Promise(r => setTimeout(r, 50));
  }
}

describe.skipIf(program === undefined)("in a browser (where there is a Chromium)", () => {
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mnemo-site-"));
    for (const [name, content] of await siteFiles()) writeFileSync(join(folder, name), content);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(["light", "dark"] as const)("%s: Verilog, schematic, bench and node", async scheme => {
    await withPage(program ?? "", `file://${join(folder, "index.html")}#counter.test.ts`, scheme, async p => {
      const seen = async (name: string): Promise<void> => {
        for (const width of [1280, 390]) {
          await p.size(width, 900);
          expect([name, await p.evaluate("document.documentElement.scrollWidth")]).toEqual([name, width]);
          if (kept === "") continue;
          mkdirSync(kept, { recursive: true });
          writeFileSync(join(kept, `playground-${name}-${scheme}-${width}.png`), await p.picture());
        }
      };
      const click = (selector: string): Promise<unknown> =>
        p.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
      await until(p, "#verilog", /module Counter_width8/);
      await seen("verilog");
      await click("#results [value=schematic]");
      expect(await text(p, "#schematic svg")).toContain("count");
      await seen("schematic");
      await click("#results [value=bench]");
      await click("#run");
      await until(p, "#benches", /passed: counts while enabled/);
      await seen("bench");
      // What is typed wrongly is told at its place.
      await p.evaluate('playground.editor.dispatch({ changes: { from: 0, insert: "const = 1;\\n" } })');
      expect(await until(p, "#problems", /./)).toMatch(/^counter\.test\.ts:1: /);
      await click("#pages [value=node]");
      await until(p, "#answer", /the node runs/);
      const ask = (o: string): Promise<unknown> => p.evaluate(`playground.operate("${o}").then(s => s.answer)`);
      expect(await ask("READ")).toMatch(/^not sent: there is no process yet/);
      await ask("CREATE_PROC");
      await ask("ALLOC");
      await ask("WRITE");
      expect(await ask("READ")).toBe('"hello, far memory"');
      expect(await text(p, "#moved")).toMatch(/retry to translate: 1 transfer/);
      expect(await p.evaluate('document.querySelectorAll("#blocks path.moved").length')).toBeGreaterThan(5);
      expect(await text(p, "#counters")).toMatch(/reads1\+1/);
      await seen("node");
      // A frame of one's own: the ping that stands there, then one that is no frame, then one for nobody.
      expect(await ask("FRAME")).toMatch(/^60 bytes came back\n02 00 00 00 00 77 /);
      const frame = (text: string): Promise<unknown> =>
        p.evaluate(`void (document.querySelector("#frame").value = ${JSON.stringify(text)})`);
      await frame("02 00 zz");
      expect(await ask("FRAME")).toBe('the frame has "z" among its digits; write bytes as two hexadecimal digits each');
      await frame("ff".repeat(6) + "020000000077" + "1234" + "00".repeat(46));
      expect(await ask("FRAME")).toBe("nothing came back; the counters say why");
      expect(await text(p, "#counters")).toMatch(/dropMac1\+1/);
      await p.evaluate('document.querySelector("details").open = true');
      await seen("frame");
    });
  });
});
