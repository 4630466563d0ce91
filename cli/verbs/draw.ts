import { writeFileSync } from "node:fs";
import { fileName, once, setting, UsageError } from "../../designs/shared/command-line/index.ts";
import { designs } from "../designs.ts";
import type { Verb } from "../verb.ts";

interface DrawOptions {
  readonly module?: string;
  readonly part?: string;
  readonly out: string;
  readonly set: readonly string[];
}

/** `mnemo draw`: the structure of a module as a picture. */
export const drawVerb: Verb = (program, { terminal }) =>
  program
    .command("draw")
    .description(
      "draw a module as SVG: instances as boxes, memories as cylinders, streams as thick arrows, other values as thin ones",
    )
    .argument("<design>", `${designs.map(d => d.name).join(", ")}, or a TypeScript file that exports a module`)
    .addOption(once("--module <name>", "the file's export; needed when it has several", fileName()))
    .addOption(
      once(
        "--part <name>",
        "a module inside the design, by name without parameters, instead of the whole: Translate",
        fileName(),
      ),
    )
    .addOption(setting())
    .addOption(once("--out <file>", "the SVG file to write", fileName(".svg")).makeOptionMandatory())
    .action(async (design: string, options: DrawOptions) => {
      const { moduleNames, structureOf } = await import("../../hdl-dsl/index.ts");
      const { svgOf } = await import("../draw/svg.ts");
      const known = designs.find(d => d.name === design);
      let def;
      if (known !== undefined) {
        if (options.module !== undefined)
          throw new UsageError(`--module is for a TypeScript file: name a module inside ${design} with --part`);
        def = await known.build(options.set);
      } else {
        const { loadDefinition } = await import("../emit/load-definition.ts");
        def = await loadDefinition(design, options.module, options.set);
      }
      const structure = structureOf(def, options.part);
      if (structure === undefined)
        throw new UsageError(`${design} has no module ${options.part ?? ""}; it has ${moduleNames(def).join(", ")}`);
      writeFileSync(options.out, svgOf(structure));
      terminal.print(
        `${options.out}: ${structure.name}, ${structure.parts.length} parts, ${structure.links.length} arrows`,
      );
    });
