import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { fileName, once } from "../../designs/shared/command-line/index.ts";
import type { Verb } from "../verb.ts";

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000).toLocaleString("en")} kB`;

/** `mnemo playground`: language, simulator and node as a static page. */
export const playgroundVerb: Verb = (program, { terminal }) =>
  program
    .command("playground")
    .description("write a static page: an editor with Verilog, schematic, benches and waves, and the running node")
    .addOption(once("--out <folder>", "the folder to write", fileName()).makeOptionMandatory())
    .action(async ({ out }: { readonly out: string }) => {
      const { siteFiles } = await import("../playground/site.ts");
      const files = await siteFiles();
      mkdirSync(out, { recursive: true });
      for (const [name, text] of files) {
        writeFileSync(join(out, name), text);
        terminal.print(
          `${join(out, name)}: ${kilobytes(Buffer.byteLength(text))}, ${kilobytes(gzipSync(text).length)} compressed`,
        );
      }
      terminal.print(`open ${join(out, "index.html")} in a browser; no server and no network is needed`);
    });
