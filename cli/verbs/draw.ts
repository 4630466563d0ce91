import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { fileName, once, setting, UsageError } from "../../designs/shared/command-line/index.ts";
import { buildOf } from "../design-named.ts";
import { designs } from "../designs.ts";
import type { Verb } from "../verb.ts";

interface DrawOptions {
  readonly module?: string;
  readonly part?: string;
  readonly out: string;
  readonly set: readonly string[];
}

/** The name of a picture or of a page. */
const drawing = (text: string): string => (extname(text) === ".html" ? text : fileName(".svg")(text));

/** `mnemo draw`: the structure of a module as a picture. */
export const drawVerb: Verb = (program, { terminal }) =>
  program
    .command("draw")
    .description(
      "draw a module: instances as boxes (registers of a module without any), memories as cylinders, streams as thick " +
        "arrows, other values as thin ones; " +
        "as SVG, or as a page where a click on a box opens its module",
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
    .addOption(
      once(
        "--out <file>",
        "the file to write: .svg for one module, .html for all of them",
        drawing,
      ).makeOptionMandatory(),
    )
    .action(async (design: string, options: DrawOptions) => {
      const { moduleNames, structureOf, structuresOf } = await import("../../hdl-dsl/index.ts");
      const { svgOf } = await import("../draw/svg.ts");
      const known = designs.find(d => d.name === design);
      let def;
      if (known !== undefined) {
        if (options.module !== undefined)
          throw new UsageError(`--module is for a TypeScript file: name a module inside ${design} with --part`);
        def = await buildOf(known, "draw")(options.set);
      } else {
        const { loadDefinition } = await import("../emit/load-definition.ts");
        def = await loadDefinition(design, options.module, options.set);
      }
      const structure = structureOf(def, options.part),
        { insteadOf } = await import("../no-such.ts");
      if (structure === undefined)
        throw new UsageError(
          `${design} has no module ${options.part ?? ""}; ${insteadOf(options.part ?? "", moduleNames(def))}`,
        );
      const size = `${structure.parts.length} parts, ${structure.links.length} arrows`;
      if (extname(options.out) === ".svg") {
        writeFileSync(options.out, await svgOf(structure));
        terminal.print(`${options.out}: ${structure.name}, ${size}`);
        return;
      }
      const { drawingPage } = await import("../draw/page.ts");
      const all = structuresOf(def, options.part);
      writeFileSync(options.out, await drawingPage(all));
      terminal.print(`${options.out}: ${structure.name}, ${size}; ${all.length} modules`);
    });
