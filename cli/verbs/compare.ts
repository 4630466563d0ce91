import { exitCode, table } from "../../designs/shared/command-line/index.ts";
import type { Verb } from "../verb.ts";

/** `mnemo compare`: the library's modules beside the same modules written by hand. */
export const compareVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("compare")
    .description(
      "compare modules of the library with the same modules written by hand in Verilog: lines, LUTs, flip-flops, levels",
    )
    .action(async () => {
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
