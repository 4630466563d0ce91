import { exitCode } from "../exit-code.ts";
import { setting } from "../options.ts";
import type { Verb } from "../verb.ts";

/** `mnemo lint`: every generated design through three independent tools. */
export const lintVerb: Verb = (program, { terminal, exit }) => program.command("lint")
  .description("check the generated Verilog with verilator --lint-only -Wall, yosys check -assert and iverilog -Wall")
  .addOption(setting())
  .action(async (options: { readonly set: readonly string[] }) => {
    const { lintTools, lintDesign, missingTools } = await import("../lint/lint.ts");
    missingTools();
    const { designs } = await import("../generate/designs.ts");
    const { parseSettings } = await import("../../designs/clio/config/index.ts");
    let bad = 0;
    const all = designs(parseSettings(options.set).config);
    for (const [i, d] of all.entries()) {
      terminal.progress(`${i + 1} of ${all.length}: ${d.emitted.top}`);
      const complaints = await lintDesign(d.emitted);
      if (complaints.length === 0) continue;
      bad++;
      for (const c of complaints) terminal.error(`${d.emitted.top}: ${c.tool} complains:\n${c.text}`);
    }
    if (bad === 0) { terminal.print(`${all.length} designs pass ${Object.values(lintTools).map((t) => t.name).join(", ")}`); return; }
    terminal.print(`${bad} of ${all.length} designs do not pass`);
    exit(exitCode.failed);
  });
