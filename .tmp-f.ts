import { supernicFigures } from "./designs/supernic/evaluation/index.ts";
import { figureOf } from "./designs/shared/evaluation/index.ts";
const only = process.argv[2].split(",");
for (const d of supernicFigures) if (only.includes(d.number)) {
  const t = process.cpuUsage();
  try {
  const f = await figureOf(d, { seed: +(process.argv[3] ?? 1), quick: true });
  console.log(d.number, f.standing, (process.cpuUsage(t).user/1e3).toFixed(0), "ms");
  for (const v of f.verdicts) console.log(v.holds ? "  ok " : "  NO ", v.says, "|", v.found);
  if (process.argv[4]) for (const p of f.plots) for (const s of p.series) console.log("   ", s.name, JSON.stringify(s.points.map(q => [q.x, +q.y.toPrecision(5)])).slice(0, 300));
  } catch (e) { console.log(d.number, String(e)); }
}
