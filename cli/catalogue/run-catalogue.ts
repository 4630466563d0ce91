import { synthesisFiles } from "../../hdl-dsl/index.ts";
import { repository } from "../repository.ts";
import { synthesize } from "../synth/synthesize.ts";
import { totalLuts } from "../synth/area.ts";
import { levelsOf } from "../synth/report.ts";
import { targets } from "../synth/target.ts";
import { findYosys } from "../synth/yosys.ts";
import { table, type Terminal } from "../../designs/shared/command-line/index.ts";
import { costKey, type Costs, readCosts, writeCosts } from "./costs.ts";
import { catalogueUnits } from "./units.ts";

/** Synthesizes what has changed since its last measurement and writes all of them; units that are gone are left out. */
async function measure(root: string, terminal: Terminal): Promise<number> {
  const yosys = await findYosys(),
    target = targets.xcup,
    before = readCosts(root);
  const units: Costs["units"] = {};
  let fresh = 0;
  for (const u of catalogueUnits(before)) {
    const { top } = u.emitted,
      files = synthesisFiles(u.emitted);
    if (u.cost !== undefined && before.tool === yosys.version) {
      units[top] = u.cost;
      continue;
    }
    const done = await synthesize({ name: u.entry.name, top, files }, target, yosys, pass => {
      terminal.progress(`${u.entry.name}: ${pass}`);
    });
    units[top] = {
      content: costKey(files),
      luts: totalLuts(done.area),
      ff: done.area.ff,
      bram: done.area.bram,
      dsp: done.area.dsp,
      levels: levelsOf(done),
    };
    fresh++;
    // What is measured stays, also when the run is ended.
    writeCosts(root, { tool: yosys.version, target: target.name, units: { ...before.units, ...units } });
  }
  terminal.endProgress();
  writeCosts(root, { tool: yosys.version, target: target.name, units });
  return fresh;
}

/** `mnemo catalogue`: the units in a table; with `measure`, their costs first. */
export async function runCatalogue(o: { readonly measure?: true }, terminal: Terminal): Promise<void> {
  const root = repository("mnemo catalogue");
  if (o.measure === true) {
    const fresh = await measure(root, terminal);
    terminal.print(`${fresh} units measured; npx mnemo generate writes docs/catalogue.md\n`);
  }
  const units = catalogueUnits(readCosts(root));
  terminal.print(
    table(
      ["unit", "example", "latency", "interval", "LUT", "FF", "BRAM", "levels", "proofs"],
      units.map(u => [
        u.entry.name,
        u.entry.example,
        String(u.entry.latency),
        String(u.entry.interval),
        ...(u.cost === undefined
          ? ["?", "?", "?", "?"]
          : [u.cost.luts, u.cost.ff, u.cost.bram, u.cost.levels].map(String)),
        String(u.proofs.length),
      ]),
      "llllrrrrr",
    ),
  );
}
