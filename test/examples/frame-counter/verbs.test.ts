/** The example through the command line: all its verbs come of its design.ts and one line of cli/designs.ts. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPcap } from "../../../sim/index.ts";
import { mnemo } from "../../support/command-line.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-frame-counter-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const framesOf = (path: string): string[] =>
  readPcap(readFileSync(path), path).map(f => Buffer.from(f.bytes).toString("hex"));

it.each(["8", "64"])("run: the frames of a capture leave as they came, and are counted, beatBytes=%s", async width => {
  const out = join(folder, `left-${width}.pcap`),
    args = ["run", "frame-counter", "--in", "captures/first.pcap", "--out", out, "--set", `beatBytes=${width}`];
  const { code, out: said, err } = await mnemo(args),
    came = framesOf("captures/first.pcap");
  expect([code, err]).toEqual([0, ""]);
  expect(framesOf(out)).toEqual(came);
  const bytes = came.reduce((n, f) => n + f.length / 2, 0);
  expect(said).toMatch(new RegExp(`^counted +${came.length} +${bytes}$`, "m"));
});

it("draw, generate, prove, lint and synth", async () => {
  const done = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await mnemo(args);
    expect([code, err], args.join(" ")).toEqual([0, ""]);
    return out;
  };
  expect(await done("draw", "frame-counter", "--out", join(folder, "x.svg"))).toContain("FrameCounter_beatBytes8, ");
  await done("generate", "--design", "frame-counter", "--out", join(folder, "v"), "--set", "beatBytes=4");
  expect(readdirSync(join(folder, "v"))).toContain("FrameCounter_beatBytes4.v");
  expect(await done("prove", "FrameCounter", "--faults")).toContain("1 planted faults");
  expect(await done("lint", "frame-counter")).toMatch(/^3 designs pass /);
  expect(await done("synth", "frame-counter", "--target", "ecp5")).toMatch(/^FrameCounter +\d+/m);
});

describe("refused in one sentence", () => {
  const files = ["--in", "a.pcap", "--out", "b.pcap"];
  const has = "its verbs are run, prove, generate, lint, synth, draw";
  it.each([
    [["serve", "frame-counter"], `frame-counter has no serve; ${has}`],
    [["serve", "frame-counter", "--port", "1"], `frame-counter has no serve; ${has}`],
    [["figures", "frame-counter"], `frame-counter has no figures; ${has}`],
    [["bench", "frame-counter"], `frame-counter has no bench; ${has}`],
    [["run", "frame-counter", ...files, "--setup", "x.json"], "unknown option '--setup' (Did you mean --set?)"],
    [["run", "frame-counter", ...files, "--set", "width=8"], 'there is no setting "width"; the only one is beatBytes'],
    [["lint", "frame-counter", "--set", "beatBytes=3"], 'beatBytes = "3": must be 1, 2, 4, 8, 16, 32 or 64'],
  ])("%j", async (args, sentence) => {
    expect(await mnemo(args)).toEqual({ code: 2, out: "", err: `mnemo: ${sentence}\n` });
  });
});
