import { synthesisFiles } from "../../hdl-dsl/index.ts";
import { repository } from "../repository.ts";
import { synthesize } from "../synth/synthesize.ts";
import { totalLuts } from "../synth/area.ts";
import { levelsOf } from "../synth/report.ts";
import { targets } from "../synth/target.ts";
import { findYosys, type Yosys } from "../synth/yosys.ts";
import { CheckFailed, table, type Terminal } from "../../designs/shared/command-line/index.ts";
import {
  costKey,
  type Costs,
  type CostTarget,
  costTargets,
  type Measured,
  readCosts,
  type UnitCosts,
  writeCosts,
} from "./costs.ts";
import { costCells } from "./page.ts";
import { type CatalogueUnit, catalogueUnits } from "./units.ts";

const noMemory = /no valid mapping found for memory/;

/** What a unit costs on a device, or that the device has no such memory. */
async function costOf(u: CatalogueUnit, t: CostTarget, yosys: Yosys, terminal: Terminal): Promise<Measured> {
  const unit = { name: u.entry.name, top: u.emitted.top, files: synthesisFiles(u.emitted) };
  try {
    const done = await synthesize(unit, targets[t], yosys, pass => terminal.progress(`${u.entry.name}, ${t}: ${pass}`));
    const { ff, bram, dsp } = done.area;
    return { luts: totalLuts(done.area), ff, bram, dsp, levels: levelsOf(done) };
  } catch (e) {
    if (!(e instanceof CheckFailed) || !noMemory.test(e.message)) throw e;
    return { none: "has no distributed memory" };
  }
}

/** Synthesizes what has changed since its last measurement and writes all of them; units that are gone are left out. */
async function measure(root: string, terminal: Terminal): Promise<number> {
  const yosys = await findYosys(),
    before = readCosts(root),
    all = catalogueUnits(before);
  const units: Costs["units"] = {};
  let fresh = 0;
  for (const u of all) {
    const known = before.tool === yosys.version ? u.cost : undefined;
    units[u.emitted.top] = { ...known, content: costKey(synthesisFiles(u.emitted)) };
  }
  for (const t of costTargets)
    for (const u of all) {
      const { top } = u.emitted,
        had = units[top] as UnitCosts; // Made above.
      if (had[t] !== undefined) continue;
      units[top] = { ...had, [t]: await costOf(u, t, yosys, terminal) };
      fresh++;
      // What is measured stays, also when the run is ended.
      writeCosts(root, { tool: yosys.version, units });
    }
  terminal.endProgress();
  writeCosts(root, { tool: yosys.version, units });
  return fresh;
}

/** `mnemo catalogue`: the units in a table; with `measure`, their costs first. */
export async function runCatalogue(o: { readonly measure?: true }, terminal: Terminal): Promise<void> {
  const root = repository("mnemo catalogue");
  if (o.measure === true) {
    const fresh = await measure(root, terminal);
    terminal.print(`${fresh} measured; npx mnemo generate writes docs/catalogue.md\n`);
  }
  const units = catalogueUnits(readCosts(root));
  terminal.print(
    table(
      ["unit", "example", "latency", "interval", "LUT", "FF", "BRAM", "levels", "ECP5", "iCE40", "proofs"],
      units.map(u => [
        u.entry.name,
        u.entry.example,
        String(u.entry.latency),
        String(u.entry.interval),
        ...costCells(u).map(String),
        String(u.proofs.length),
      ]),
      "llllrrrrrrr",
    ),
  );
}
