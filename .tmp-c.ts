import { loadsOf, allocations, runScheme } from "./designs/supernic/evaluation/measure/consolidated.ts";
const slots = +(process.argv[2] ?? 8), seed = +(process.argv[3]??1);
for (const c of ["low","high"] as const) {
  const t0 = process.cpuUsage(); const loads = loadsOf(seed, c, slots); console.log(c, process.cpuUsage(t0).user/1e3, allocations(loads), loads.bins.map(b=>Math.round(b.reduce((a,x)=>a+x)/b.length)));
  for (const s of [{kind:"static-max"},{kind:"static-avg"},{kind:"as-instant"},{kind:"sNIC"},{kind:"sNIC",keeps:.5},{kind:"sNIC",keeps:0},{kind:"sNIC",overCommitted:.25},{kind:"sNIC",overCommitted:.5}] as const) {
    const t = process.cpuUsage(); const r = await runScheme(seed, loads, s); console.log(JSON.stringify(s), JSON.stringify(r), (process.cpuUsage(t).user/1e3).toFixed(0));
  }
}
