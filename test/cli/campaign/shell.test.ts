/** Tasks by any line of a shell: two processes on one campaign, each with its share. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { shellEngine } from "../../../cli/campaign/engines/shell.ts";
import { mostShares, shareOf, sharesWith } from "../../../cli/campaign/engines/shares.ts";
import { mnemo } from "../../support/command-line.ts";
import { pieces, planHere, specOf } from "./support/here.ts";
import { scratch, startsIn } from "./support/scratch.ts";

const path = scratch("shell");

it("each share is a task; each piece is begun once, and the report has all", async () => {
  const folder = path("campaign"),
    log = path("log"),
    file = path("c.json");
  writeFileSync(file, JSON.stringify(specOf([pieces(7, { log })])));
  const { code, out, err } = await mnemo([
    ...["campaign", file, "--out", folder, "--engine", "shell", "--jobs", "2", "--poll", "1"],
    ...["--submit", `echo share {share} >> ${log}.shares; {command}`],
  ]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/7 of 7 pieces, 7 passed/);
  expect(startsIn(log)).toHaveLength(7);
  expect(readFileSync(`${log}.shares`, "utf8").trim().split("\n").sort()).toEqual(["share 0", "share 1"]);
  expect(readFileSync(join(folder, "tasks/0.log"), "utf8")).toMatch(/share 0 of 2: 4 pieces in /);
});

it("a line that runs nothing is given out three times, and then told", async () => {
  const spec = specOf([pieces(3)]),
    said: string[] = [];
  await expect(
    shellEngine({ template: "true {command}", shares: 2, poll: 10 }).run({
      plan: planHere(spec),
      folder: path("nothing"),
      pending: [0, 1, 2],
      signal: new AbortController().signal,
      say: t => said.push(t),
      onResult: () => undefined,
    }),
  ).rejects.toThrow(
    /^3 pieces have no result, and 3 rounds of tasks brought none; the tasks' own words are in .*tasks$/,
  );
  expect(said).toHaveLength(2);
});

it("shares: each piece is in one, and a round has those with something to do", () => {
  expect(sharesWith([0, 1, 5, 9], 4)).toEqual([0, 1]);
  const all = Array.from({ length: 5000 }, (_, i) => i);
  expect(sharesWith(all, mostShares)).toHaveLength(mostShares);
  expect(all.every(i => shareOf(i, 7) === i % 7)).toBe(true);
});
