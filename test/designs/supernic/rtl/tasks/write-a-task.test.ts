import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { declarationFaults } from "../../../../../designs/supernic/wire/index.ts";
import { bernoulli } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { dutOf, RegionRig } from "../region/support/region-rig.ts";
import { randomPacket, TaskRig } from "./support/task-rig.ts";
import { ttl, ttlModel } from "./support/ttl-task.ts";

test("the page's task is this one", () => {
  const source = readFileSync(new URL("support/ttl-task.ts", import.meta.url), "utf8"),
    page = readFileSync(new URL("../../../../../docs/supernic/tasks.md", import.meta.url), "utf8");
  const example = /\/\/ example\n([^]*)\/\/ end/.exec(source)?.[1] ?? "none";
  expect(page).toContain(example.trimEnd());
  expect(declarationFaults(ttl.declared)).toEqual([]);
});
bench("alone: as its model says, in a cycle, one a cycle", ttl.hardware, { seed: 2 }, async b => {
  const rig = new TaskRig(b, ttl.declared, ttlModel);
  for (let n = 0; n < 300; n++) {
    const packet = randomPacket(b.random);
    rig.send({ ...packet, header: packet.header.with(22, b.random.pick([0, 1, 2, 255])) });
  }
  await rig.end();
  expect(new Set(rig.latencies)).toEqual(new Set([1]));
  expect([...rig.verdicts.keys()].sort()).toEqual(["drop", "forward"]);
});
const tried = [{ ...ttl, model: ttlModel }];
bench("in a region: as its model says, all credits back", dutOf(tried), { seed: 3 }, async b => {
  const rig = new RegionRig(b, tried, { to: bernoulli(0.3, 5) });
  await rig.traffic(500);
  await rig.end();
  expect(rig.seen.forwarded).toBeGreaterThan(100);
});
