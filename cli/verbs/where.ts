import { Argument } from "commander";
import type { Verb } from "../verb.ts";

/** `mnemo where`: from a line of generated Verilog to the TypeScript that made it. */
export const whereVerb: Verb = (program, { terminal }) =>
  program
    .command("where")
    .description("print the TypeScript file and line that a line of generated Verilog comes from")
    .addArgument(
      new Argument(
        "<file:line>",
        "a generated file and a line of it, for example generated/library/SkidBuffer_uint32.v:20",
      ),
    )
    .action(async (place: string) => {
      const { whereIs } = await import("../where/where-is.ts");
      const { root } = await import("../../scripts/setup/paths.mjs");
      for (const w of whereIs(place, root))
        terminal.print(w.text === undefined ? `${w.file}:${w.line}` : `${w.file}:${w.line}: ${w.text}`);
    });
