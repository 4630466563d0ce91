import { describe, expect, test } from "vitest";
import { storms } from "./storms.ts";
import { run, type Traffic } from "./traffic.ts";

const named: readonly (readonly [string, Traffic])[] = Object.entries(storms);

describe("storms: every answer, what the nodes hold then, and misses and places that are all back", () => {
  test.each(named)("%s", async (name, t) => {
    await run(name, t);
  });
  test("all of them with twenty other seeds", async ctx => {
    if (process.env["MNEMO_LONG"] === undefined) ctx.skip("a minute or two: MNEMO_LONG=1 runs it");
    for (const [name, t] of named)
      for (let seed = 1001; seed <= 1020; seed++) await run(`${name}, ${seed}`, { ...t, seed });
  });
});

test("what the storms are about happens in them", async () => {
  const local = await run("local", storms["local lines, of which no node has heard before their first flush"]),
    fails = await run("fails", storms["a line memory that fails for times"]),
    deaf = await run("deaf", storms["a node that is deaf for longer than a fetch is tried"]);
  expect(local.counts["waited"]).toBeGreaterThan(10);
  expect(local.counts["local"]).toBeGreaterThan(20);
  expect(fails.events.filter(e => e.kind === "lineLost").length).toBeGreaterThan(3);
  expect(fails.doubts.failures).toBeGreaterThan(10);
  expect(deaf.doubts.failures).toBeGreaterThan(5);
});
