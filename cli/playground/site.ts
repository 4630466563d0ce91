import { bundled } from "./bundle.ts";
import { manualExamples } from "./examples.ts";
import { playgroundHtml } from "./html.ts";
import { repository } from "../repository.ts";

/** The files of the page, by name. The same sources give the same bytes. */
export async function siteFiles(): Promise<ReadonlyMap<string, string>> {
  const { script, map } = await bundled('import "./playground/page.ts";');
  return new Map([
    ["index.html", playgroundHtml()],
    ["playground.js", script],
    // Names in the Verilog come from it, so it is there before the script runs.
    ["map.js", `globalThis.mnemosyneMaps=${JSON.stringify({ "playground.js": map })};\n`],
    ["examples.js", `globalThis.mnemosynePage=${JSON.stringify(manualExamples(repository("mnemo playground")))};\n`],
  ]);
}
