import { exitCode } from "../exit-code.ts";
import { table } from "../terminal/table.ts";
import type { Verb } from "../verb.ts";

/** `mnemo compare`: the library's modules beside the same modules written by hand. */
export const compareVerb: Verb = (program, { terminal, exit }) => program.command("compare")
  .description("compare modules of the library with the same modules written by hand in Verilog: lines, LUTs, flip-flops, levels")
  .action(async () => {
    const { aspects, compareAll } = await import("../compare/measure.ts");
    const { findYosys } = await import("../synth/yosys.ts");
    const { root } = await import("../../scripts/setup/paths.mjs");
    const all = await compareAll(root, await findYosys(), (what) => { terminal.progress(what); });
    terminal.endProgress();
    const rows = all.map((c) => [c.name, ...aspects.flatMap((a) => [String(c.ours[a]), String(c.hand[a])])]);
    terminal.print(table(["module", ...aspects.flatMap((a) => [`${a}: ours`, "hand"])], rows, `l${"r".repeat(2 * aspects.length)}`));
    const worse = all.flatMap((c) => aspects.filter((a) => c.ours[a] > c.hand[a]).map((a) => `${c.name}: ${a} ${c.ours[a]} > ${c.hand[a]}`));
    if (worse.length === 0) { terminal.print("\nours is at or below on each"); return; }
    terminal.print(`\nabove: ${worse.join("; ")}`);
    exit(exitCode.failed);
  });
