/** Pieces on this machine: each ends in one result, whatever it does; what is done stays done. */
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settle } from "../../../cli/campaign/plan.ts";
import { Progress } from "../../../cli/campaign/progress.ts";
import { readResult, resultPath } from "../../../cli/campaign/result.ts";
import { Terminal } from "../../../designs/shared/command-line/index.ts";
import { conductHere, pieces, planHere, specOf } from "./support/here.ts";
import { runs, scratch, startsIn, until } from "./support/scratch.ts";

const path = scratch("local");

describe("each piece has one result", () => {
  const log = path("log"),
    folder = path("all"),
    spec = specOf([
      pieces(3, { log }),
      pieces(2, { mode: "fail" }),
      pieces(1, { mode: "throw" }),
      pieces(1, { mode: "nonsense" }),
      pieces(1, { mode: "die" }),
      pieces(1, { mode: "die-once", log: `${log}-once` }),
      { kind: "command", command: ["sh", "-c", "echo word of {seed}; exit 3"], seed: 9 },
      { kind: "command", command: ["no-such-program"] },
      { kind: "mnemo", args: ["doctor", "now"] },
    ]);

  it("passed, failed, crashed; what died once is begun again", async () => {
    const { conducted, err } = await conductHere(folder, spec, 2),
      { report, results } = conducted,
      of = (i: number) => results.find(r => r.index === i);
    expect(report.verdicts).toEqual({ passed: 4, failed: 7, limit: 0, crashed: 1 });
    expect(of(3)?.problems).toEqual(["seed 1 is odd"]);
    expect(of(5)?.problems).toEqual(["thrown by 1"]);
    expect(of(5)?.printed).toMatch(/Error: thrown by 1\n.*pieces\.ts/s);
    expect(of(6)?.problems).toEqual([
      "its answer is none: figures.rate: Invalid input: expected number, received null",
    ]);
    expect([of(7)?.verdict, of(7)?.attempts, of(7)?.problems]).toEqual(["crashed", 2, ["its process ended: SIGKILL"]]);
    expect([of(8)?.verdict, of(8)?.attempts]).toEqual(["passed", 2]);
    expect([of(9)?.problems, of(9)?.printed]).toEqual([["exit code 3"], "word of 9\n"]);
    expect(of(10)?.problems).toEqual([expect.stringMatching(/^no-such-program cannot be started: /)]);
    expect(of(11)?.problems).toEqual([expect.stringMatching(/^exit code 2: .*too many arguments for 'doctor'/)]);
    expect(report.again).toBe(2);
    // In a pipe there is no progress: only what was begun again is told, and each once.
    expect(err.trim().split("\n").sort()).toEqual([
      expect.stringMatching(/^piece 7 \(module, seed 1\): its process ended: SIGKILL; it is begun again$/),
      expect.stringMatching(/^piece 8 .*it is begun again$/),
    ]);
  });
  it("each finding has its command for a laptop, in report and page", () => {
    const page = readFileSync(join(folder, "index.html"), "utf8"),
      text = readFileSync(join(folder, "report.md"), "utf8");
    for (const command of [
      "npx mnemo campaign tiny.json --piece 3",
      "sh -c 'echo word of 9; exit 3'",
      "npx mnemo doctor now",
    ]) {
      expect(text).toContain(command);
      expect(page).toContain(command);
    }
    expect(page).toContain("<svg");
  });
  it("the same again does nothing, and writes the same report", async () => {
    const before = startsIn(log).length,
      text = readFileSync(join(folder, "report.json"), "utf8"),
      { conducted } = await conductHere(folder, spec, 2);
    expect([conducted.done, startsIn(log).length, before]).toEqual([0, 3, 3]);
    expect(readFileSync(join(folder, "report.json"), "utf8")).toBe(text);
  });
  it("a result that was cut short, changed or is another's is told and done again, no other", async () => {
    const plan = planHere(spec),
      file = (i: number): string => resultPath(folder, i);
    truncateSync(file(0), 30);
    writeFileSync(file(1), readFileSync(file(2)));
    writeFileSync(file(3), readFileSync(file(3), "utf8").replace("odd", "fine"));
    const { conducted, err } = await conductHere(folder, spec, 1);
    expect(conducted.done).toBe(3);
    for (const i of [0, 1, 3]) {
      expect(err).toContain(`the result of piece ${i} was cut short or changed; it is done again`);
      expect(readResult(folder, plan.id, i)).toMatchObject({ index: i });
    }
    expect(startsIn(log)).toHaveLength(5);
  });
});

it("a piece that hangs is ended at its limit, and what it started goes with it", async () => {
  const folder = path("hang"),
    log = path("sleepers");
  const { conducted } = await conductHere(
    folder,
    specOf(
      [
        pieces(1, { mode: "hang" }),
        { kind: "command", command: ["sh", "-c", `sleep 1000 & echo 0 $! >> ${log}; wait`] },
      ],
      { seconds: 1, retries: 0 },
    ),
    2,
  );
  expect(conducted.report.verdicts).toEqual({ passed: 0, failed: 0, limit: 2, crashed: 0 });
  expect(conducted.report.findings[0]?.problems).toEqual(["it took longer than 1 s"]);
  const [sleeper] = startsIn(log);
  // The limit may have come before the shell wrote: a slow machine decides no test.
  if (sleeper !== undefined) await until(() => !runs(sleeper.pid));
});

describe("a changed file or commit", () => {
  const spec = specOf([pieces(1)]);
  it("begins anew in a folder of its own, and says so", () => {
    const above = path("told");
    const at = (s: unknown, state?: string): readonly string[] => {
      const plan = planHere(s, state);
      return settle(plan, join(above, `tiny-${plan.id.slice(0, 8)}`));
    };
    expect(at(spec)).toEqual([]);
    expect(at(spec)).toEqual([]);
    expect(at(spec, `${"b".repeat(40)}+12345678`)).toEqual([
      expect.stringMatching(
        /^tiny begins anew: it was of commit aaaaaaa and is now of bbbbbbb\+12345678; what was done before stays in /,
      ),
    ]);
    expect(at(specOf([pieces(2)])).map(t => t.replace(/;.*/, ""))).toContain("tiny begins anew: its file has changed");
  });
  it("does not go into a folder that is named", () => {
    const folder = path("named");
    settle(planHere(spec), folder);
    expect(() => settle(planHere(spec, "c".repeat(40)), folder)).toThrow(
      /has tiny, but it was of commit aaaaaaa and is now of ccccccc; name another folder by --out$/,
    );
    expect(() => settle(planHere({ ...spec, name: "other" }), folder)).toThrow(/has another campaign, tiny; /);
    writeFileSync(join(folder, "plan.json"), "{");
    expect(() => settle(planHere(spec), folder)).toThrow(/plan\.json is no plan of a campaign/);
  });
});

describe("progress", () => {
  it("a person sees pieces, rate, failures and the time that is left", async () => {
    const { err } = await conductHere(path("progress"), specOf([pieces(2), pieces(1, { mode: "fail" })]), 1, true);
    expect(err).toMatch(/3 of 3 pieces, \d+(?:\.\d)? a minute, 1 not passed, 0 s left/);
  });
  it("results of an earlier start say nothing of the rate", () => {
    const terminal = new Terminal({ stdout: { write: () => 0 }, stderr: { write: () => 0 }, env: {} }),
      result = { id: "", index: 0, attempts: 1, seconds: 1, problems: [], figures: {}, printed: "" },
      p = new Progress(
        terminal,
        100,
        Array.from({ length: 40 }, () => ({ ...result, verdict: "passed" as const })),
      );
    expect(p.line(5)).toBe("40 of 100 pieces");
    p.add({ ...result, verdict: "limit" });
    expect(p.line(2)).toBe("41 of 100 pieces, 30 a minute, 1 not passed, 1 min 58 s left");
  });
});
