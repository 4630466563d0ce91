import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeShape, type PlacedPort, placedPorts } from "../../hdl-dsl/index.ts";
import { docComment } from "./doc-comment.ts";
import { targets } from "../synth/target.ts";
import { type Costs, costTargets, type Measured, readCosts } from "./costs.ts";
import { type CatalogueUnit, catalogueUnits } from "./units.ts";

const cell = (text: string | number): string => String(text).replaceAll("|", "\\|");
/** Figures of a unit on UltraScale+, and its LUTs and levels on each smaller device. */
export function costCells(u: CatalogueUnit): readonly (string | number)[] {
  return costTargets.flatMap((t): readonly (string | number)[] => {
    const c = u.cost?.[t];
    if (t === "xcup") return c === undefined || "none" in c ? ["?", "?", "?", "?"] : [c.luts, c.ff, c.bram, c.levels];
    return [c === undefined ? "?" : "none" in c ? "none" : `${c.luts} / ${c.levels}`];
  });
}
const row = (cells: readonly (string | number)[]): string => `| ${cells.map(cell).join(" | ")} |`;
/** Heading and its place in the page, as Markdown readers make it. */
const title = (u: CatalogueUnit): string => `${u.entry.name}: ${u.entry.what}`;
const anchor = (t: string): string =>
  t
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

function portRow({ path, port: p }: PlacedPort): string {
  const what = p.port === "stream" ? (p.dir === "in" ? "stream in" : "stream out") : p.dir;
  return row([
    `\`${path.join(".")}\``,
    `${what}${p.domain === undefined ? "" : `, clock \`${p.domain}\``}`,
    describeShape(p.shape),
  ]);
}

function costText(c: Measured | undefined, block: string): string {
  if (c === undefined) return "not measured as it now is (`mnemo catalogue --measure` does it)";
  if ("none" in c) return c.none;
  const dsp = c.dsp === 0 ? "" : `, ${c.dsp} DSP`;
  return `${c.luts} LUT, ${c.ff} FF, ${c.bram} ${block}${dsp}, ${c.levels} LUT levels`;
}

/** A page of one unit: its own doc comment, its ports, what it costs and what is proved. */
function section(u: CatalogueUnit, root: string): string {
  const doc = docComment(readFileSync(join(root, u.entry.source), "utf8"), u.entry.name);
  const cost = costTargets.map(t => `${targets[t].family} ${costText(u.cost?.[t], targets[t].memoryBlock)}`).join("; ");
  return `### ${title(u)}
${doc ?? ""}

Source: [${u.entry.source}](../${u.entry.source}). Measured: ${u.entry.example}: ${cost}.

| port | direction | shape |
|---|---|---|
${placedPorts(u.entry.def.ports).map(portRow).join("\n")}

Proved: ${u.proofs.length === 0 ? "nothing yet; tested only" : u.proofs.join("; ")}.
`;
}

/** The catalogue of the library, Markdown. @param root the project's folder, for doc comments and measurements */
export function cataloguePage(root: string, costs: Costs = readCosts(root)): string {
  const units = catalogueUnits(costs),
    groups = [...new Set(units.map(u => u.entry.group))];
  const of = (g: string): readonly CatalogueUnit[] => units.filter(u => u.entry.group === g);
  return `<!-- Generated from hdl-dsl/catalogue. Do not edit. -->
# Catalogue of the library

Every unit with its ports, latency, initiation interval, cost and proofs. Latencies and intervals are cycles with nothing paused, and
are measured by a test. Costs are for the example that each section names, after synthesis alone by ${costs.tool}, out of context, not
placed or routed: LUT, FF, BRAM and levels for UltraScale+, then LUTs and levels for ECP5 and iCE40, whose LUTs have four inputs.
\`?\`: the unit has changed since. \`none\`: the device lacks the memory that the example asks for. Proofs are those of \`mnemo prove\`.

${groups
  .map(
    g =>
      `## ${g}\n| unit | what for | example | latency | interval | LUT | FF | BRAM | levels | ECP5 | iCE40 | proofs |\n` +
      `|---|---|---|---|---|---|---|---|---|---|---|---|\n${of(g)
        .map(u =>
          row([
            `[${u.entry.name}](#${anchor(title(u))})`,
            u.entry.what,
            u.entry.example,
            u.entry.latency,
            u.entry.interval,
            ...costCells(u),
            u.proofs.length,
          ]),
        )
        .join("\n")}`,
  )
  .join("\n\n")}

${groups.flatMap(g => of(g).map(u => section(u, root))).join("\n")}`;
}
