import { describe, expect, it } from "vitest";
import { mnemo } from "../support/command-line.ts";

const files = ["--in", "requests.pcap", "--out", "replies.pcap"];
/** Bad usage, and the one sentence that answers it. */
const refused: readonly (readonly [args: readonly string[], sentence: string])[] = [
  [["genrate"], "mnemo: unknown command 'genrate' (Did you mean generate?)"],
  [["--frobnicate"], "mnemo: unknown option '--frobnicate'"],
  [["generate", "--chek"], "mnemo: unknown option '--chek' (Did you mean --check?)"],
  [["generate", "now"], "mnemo: too many arguments for 'generate'. Expected 0 arguments but got 1."],
  [["generate", "--check", "--out", "x"], "mnemo: option '--check' cannot be used with option '--out <folder>'"],
  [
    ["generate", "--set", "dataWidth=128"],
    "mnemo: --set needs --out <folder>: what is committed under generated/ has the default parameters",
  ],
  [["generate", "--out"], "mnemo: option '--out <folder>' argument missing"],
  [["run", ...files], "mnemo: missing required argument 'design'"],
  [["run"], "mnemo: missing required argument 'design'"],
  [
    ["run", "memory"],
    "mnemo: command-argument value 'memory' is invalid for argument 'design'. Allowed choices are clio, supernic, rack, legoos, wickit, fastswap, aifm, valet, hotpot, frame-counter.",
  ],
  [
    ["run", "nobody", ...files],
    "mnemo: command-argument value 'nobody' is invalid for argument 'design'. Allowed choices are clio, supernic, rack, legoos, wickit, fastswap, aifm, valet, hotpot, frame-counter.",
  ],
  [["run", "supernic", ...files], "mnemo: required option '--setup <file>' not specified"],
  [["serve", "legoos"], "mnemo: legoos has no serve; its verbs are run, figures, prove, generate, lint, synth, draw"],
  [["run", "clio", "--in", "a.pcap"], "mnemo: required option '--out <file>' not specified"],
  [
    ["run", "clio", ...files, "--pace", "fast"],
    "mnemo: option '--pace <pace>' argument 'fast' is invalid. It must be capture, line-rate or closed-loop.",
  ],
  [
    ["run", "clio", ...files, "--seed", "-1"],
    "mnemo: option '--seed <number>' argument '-1' is invalid. It must be a whole number from 0 to 4294967295.",
  ],
  [
    ["run", "clio", ...files, "--seed", "4294967296"],
    "mnemo: option '--seed <number>' argument '4294967296' is invalid. It must be a whole number from 0 to 4294967295.",
  ],
  [
    ["run", "clio", ...files, "--wave", "run.wave"],
    "mnemo: option '--wave <file>' argument 'run.wave' is invalid. Its name must end in .vcd or .fst.",
  ],
  [
    ["run", "clio", ...files, "--out", "other.pcap"],
    "mnemo: option '--out <file>' argument 'other.pcap' is invalid. It is given twice.",
  ],
  [["run", "clio", "--in", "", "--out", "b.pcap"], "mnemo: option '--in <file>' argument '' is invalid. It is empty."],
  [
    ["bench", "--seed", "many"],
    "mnemo: option '--seed <number>' argument 'many' is invalid. It must be a whole number from 0 to 4294967295.",
  ],
];

describe("bad usage", () => {
  it.each(refused)("%j", async (args, sentence) => {
    expect(await mnemo(args)).toEqual({ code: 2, out: "", err: `${sentence}\n` });
  });
  it("no verb: the list of verbs, on stderr", async () => {
    const { code, out, err } = await mnemo([]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^Usage: mnemo /);
  });
});

describe("help", () => {
  const verbs = ["new", "run", "serve", "emit", "generate", "lint", "prove", "bench", "figures", "doctor", "cache"];
  it("lists every verb", async () => {
    const { code, out, err } = await mnemo(["--help"]);
    expect([code, err]).toEqual([0, ""]);
    for (const v of verbs) expect(out).toMatch(new RegExp(`^  ${v} `, "m"));
  });
  it.each(verbs)("%s --help explains its options", async verb => {
    const { code, out, err } = await mnemo([verb, "--help"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^Usage: mnemo ${verb} `));
  });
  it("run --help names every option of the command line's contract", async () => {
    const { out } = await mnemo(["run", "--help"]);
    for (const o of ["--in", "--out", "--set", "--setup", "--pace", "--wave", "--stats", "--seed"])
      expect(out).toContain(`${o} <`);
  });
});
