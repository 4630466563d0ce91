import { loadsOf } from "./designs/supernic/evaluation/measure/consolidated.ts";
import { runPool } from "./designs/supernic/evaluation/measure/pools.ts";
import { timeline } from "./designs/supernic/evaluation/measure/timeline.ts";
const loads = loadsOf(+(process.argv[3]??1), (process.argv[2]??"low") as "low", +(process.argv[4]??4));
const t = process.cpuUsage();
for (const g of [0,32]) for (const k of ["single","ring","switch"] as const) console.log(g, k, JSON.stringify(await runPool(loads, k, g)));
console.log(process.cpuUsage(t).user/1e3);
