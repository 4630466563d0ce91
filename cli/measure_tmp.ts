import { synthesisFiles } from "../hdl-dsl/index.ts";
import { synthesize } from "./synth/synthesize.ts";
import { totalLuts } from "./synth/area.ts";
import { levelsOf } from "./synth/report.ts";
import { targets } from "./synth/target.ts";
import { findYosys } from "./synth/yosys.ts";
import { costKey, readCosts, writeCosts } from "./catalogue/costs.ts";
import { catalogueUnits } from "./catalogue/units.ts";
const root = process.cwd(), want = process.argv.slice(2);
const yosys = await findYosys(), target = targets.xcup;
const t0 = Date.now();
for (const u of catalogueUnits(readCosts(root))) {
  if (u.cost !== undefined || (want.length > 0 && !want.includes(u.entry.name))) continue;
  if (Date.now() - t0 > 200_000) break;
  const { top } = u.emitted, files = synthesisFiles(u.emitted);
  const done = await synthesize({ name: u.entry.name, top, files }, target, yosys, () => undefined);
  const now = readCosts(root);
  writeCosts(root, { ...now, units: { ...now.units, [top]: { content: costKey(files), luts: totalLuts(done.area), ff: done.area.ff, bram: done.area.bram, dsp: done.area.dsp, levels: levelsOf(done) } } });
  console.log(u.entry.name, top, totalLuts(done.area), done.area.ff, done.area.bram, levelsOf(done), Math.round((Date.now() - t0) / 1000));
}
