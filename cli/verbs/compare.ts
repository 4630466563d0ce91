import { writeFileSync } from "node:fs";
import { exitCode, table, type Terminal, UsageError } from "../../designs/shared/command-line/index.ts";
import type { Verb } from "../verb.ts";

interface PublicOptions {
  readonly public?: string;
  readonly markdown?: string;
}
/** Nothing is judged here: the modules of a pair are no two versions of one thing. */
async function besidePublic(folder: string, markdown: string | undefined, terminal: Terminal): Promise<void> {
  const { besideHeads, besideMarkdown, besideRows, commitsIn, compareWithPublic } =
    await import("../compare/public.ts");
  const { findYosys } = await import("../synth/yosys.ts");
  const { between } = await import("../page-marks.ts");
  const mark = "published",
    all = await compareWithPublic(folder, await findYosys(), what => terminal.progress(what)),
    commits = commitsIn(folder);
  terminal.endProgress();
  terminal.print(table(besideHeads, besideRows(all), `ll${"r".repeat(besideHeads.length - 2)}`));
  terminal.print(
    `\n${[...commits].map(([r, c]) => `${r} ${c}`).join(", ")}; ports and cycles differ, so nothing is judged`,
  );
  if (markdown !== undefined) writeFileSync(markdown, between(markdown, mark, besideMarkdown(all, commits)));
}

/** `mnemo compare`: the library's modules beside the same modules written by hand. */
export const compareVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("compare")
    .description(
      "compare modules of the library with the same modules written by hand in Verilog: lines, LUTs, flip-flops, levels",
    )
    .option("--public <folder>", "beside published modules: the folder has clones of verilog-ethernet and verilog-axi")
    .option("--markdown <file>", "with --public: write the table into a Markdown file, between its marks")
    .action(async (o: PublicOptions) => {
      if (o.public !== undefined) return besidePublic(o.public, o.markdown, terminal);
      if (o.markdown !== undefined)
        throw new UsageError("--markdown is of --public <folder>; add it, or leave out both");
      const { aspects, compareAll, lost, told } = await import("../compare/measure.ts");
      const { findYosys } = await import("../synth/yosys.ts");
      const { root } = await import("../../scripts/setup/paths.mjs");
      const all = await compareAll(root, await findYosys(), what => terminal.progress(what));
      terminal.endProgress();
      const rows = all.map(c => [
        c.name,
        ...aspects.flatMap(a => [String(c.ours[a]), String(c.hand[a])]),
        lost(c).length === 0 ? "" : "LOST",
      ]);
      terminal.print(
        table(
          ["module", ...aspects.flatMap(a => [`${a}: ours`, "hand"]), ""],
          rows,
          `l${"r".repeat(2 * aspects.length)}l`,
        ),
      );
      const above = all.flatMap(c => lost(c).map(what => `${c.name}: ${what}`));
      const unjudged = all.flatMap(c => told(c).map(what => `${c.name}: ${what}`));
      if (unjudged.length > 0) terminal.print(`\nabove, and not judged: ${unjudged.join("; ")}`);
      if (above.length === 0) {
        terminal.print("\nours is at or below on each that is judged");
        return;
      }
      terminal.print(`\nlost: ${above.join("; ")}`);
      exit(exitCode.failed);
    });
