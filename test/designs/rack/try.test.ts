import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRack } from "../../../designs/rack/setup/index.ts";
import { withRack } from "../../../designs/rack/rig/fabric/index.ts";
import { clientGroups, problemsOf, work } from "../../../designs/rack/rig/program/index.ts";
test("try", async () => {
  const plan = readRack(readFileSync("examples/rack.json", "utf8"), "examples/rack.json");
  const t0 = performance.now();
  let t1 = 0;
  const r = await withRack(plan, { seed: 1 }, async rack => {
    t1 = performance.now();
    const all = await Promise.all(clientGroups(rack, 1).map((g, i) => work(rack, g, { seed: i + 1 })));
    const t2 = performance.now();
    console.log("cycles", rack.clockwork.cycle, "s", (t2 - t1) / 1000, "c/s", rack.clockwork.cycle / (t2 - t1) * 1000);
    const f = await rack.finish();
    console.log(rack.lines.map(l => l.name + JSON.stringify(l.statistics)).join("\n"));
    console.log(all.map(w => JSON.stringify([w.kind, w.result.operations, w.result.done, [...w.result.failed], w.result.unknown])).join("\n"));
    console.log(rack.devices.map(d => d.scoreboard.comparedBytes));
    return { problems: [...all.flatMap(problemsOf), ...f.problems], f };
  });
  console.log("build s", (t1 - t0) / 1000);
  console.log(r.problems.slice(0, 20));
  expect(r.problems).toEqual([]);
}, 600_000);
