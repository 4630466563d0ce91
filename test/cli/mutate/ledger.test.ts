/** What counts as killed: the ledger, the choice of mutants, the arguments. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { argumentFor, lineText, readArgued } from "../../../cli/mutate/argued.ts";
import { chosen, described } from "../../../cli/mutate/choose.ts";
import { Ledger, score } from "../../../cli/mutate/outcome.ts";
import type { Described, Report } from "../../../cli/mutate/plan.ts";
import { mnemo } from "../../support/command-line.ts";

const mutant = (n: number, place = "bound@a.ts:1:1"): Described => ({
  key: `${place}#${n}`,
  operator: "bound",
  file: "cli/mutate/outcome.ts",
  line: 1,
  says: "a < b is a <= b",
});
const { key } = mutant(0);
const killed: Report = { kind: "killed", module: "M", key, id: "t", message: "expected 1" };
const lived: Report = { kind: "lived", module: "M", key, id: "u" };
const fateOf = (...reports: Report[]): string => {
  const ledger = new Ledger();
  ledger.add(reports);
  return ledger.of(mutant(0), undefined).fate;
};

describe("the ledger", () => {
  it("one test that fails is enough, in whatever order it is told", () => {
    expect(fateOf(lived, killed)).toBe("killed");
    expect(fateOf(killed, lived)).toBe("killed");
    expect(fateOf(lived)).toBe("survived");
    expect(fateOf()).toBe("unseen");
  });
  it("a mutant that is no other circuit does not count", () => {
    expect(fateOf({ kind: "void", module: "M", key, verdict: "equivalent" })).toBe("equivalent");
    expect(fateOf({ kind: "void", module: "M", key, verdict: "equivalent" }, lived)).toBe("survived");
    expect(fateOf({ kind: "void", module: "M", key, verdict: "loop" })).toBe("loop");
  });
  it("a kill by a test that then fails by itself is not believed before it is confirmed", () => {
    const doubt: Report = { kind: "doubt", module: "M", id: "t", file: "t.test.ts", keys: [key] },
      ledger = new Ledger();
    ledger.add([killed, doubt]);
    expect(ledger.of(mutant(0), undefined).fate).toBe("survived");
    expect([ledger.isOpen(key), ledger.doubted(key)]).toEqual([true, "t.test.ts"]);
    ledger.add([killed]);
    expect(ledger.of(mutant(0), undefined).fate).toBe("killed");
  });
  it("keeps the test that fails without a mutant", () => {
    const ledger = new Ledger();
    ledger.add([{ kind: "failed", module: "M", id: "t", message: "broken" }]);
    expect(ledger.failed?.message).toBe("broken");
  });
  it("the score counts what could be killed", () => {
    const outcome = (fate: "killed" | "survived" | "argued" | "unseen") => ({ mutant: mutant(0), fate });
    expect(score([outcome("killed"), outcome("survived"), outcome("unseen"), outcome("argued")])).toBe(33.3);
    expect(score([])).toBe(100);
  });
});

describe("the choice", () => {
  const many = Array.from({ length: 100 }, (_, n) => mutant(n));
  it("takes three of the gates that one line makes", () => {
    expect(chosen(many, { seed: 1 }).map(m => m.key.split("#")[1])).toEqual(["0", "50", "99"]);
  });
  it("a sample is the same for a seed", () => {
    const places = Array.from({ length: 50 }, (_, n) => mutant(0, `bound@a.ts:${n}:1`));
    const sample = chosen(places, { seed: 7, limit: 10 });
    expect(sample).toHaveLength(10);
    expect(chosen(places, { seed: 7, limit: 10 })).toEqual(sample);
    expect(chosen(places, { seed: 8, limit: 10 })).not.toEqual(sample);
    expect(chosen(places, { seed: 7, onlyOperator: ["late"] })).toEqual([]);
  });
  it("a mutant of several parameter sets counts once", () => {
    const variant = (name: string): Report => ({ kind: "variant", module: "M", name, mutants: [mutant(0), mutant(1)] });
    expect(described([variant("A_1"), variant("A_2")])).toHaveLength(2);
  });
});

describe("arguments", () => {
  const m = mutant(0),
    argued = {
      module: "A",
      operator: "bound",
      line: lineText(m),
      says: m.says,
      reason: "the count never reaches the bound",
    };
  it("hold for the module, operator, line and change that they name", () => {
    expect(argumentFor([argued], { module: "A", file: m.file }, m)).toBe(argued);
    expect(argumentFor([argued], { module: "B", file: m.file }, m)).toBeUndefined();
    expect(argumentFor([{ ...argued, line: "edited" }], { module: "A", file: m.file }, m)).toBeUndefined();
  });
  it("the committed file is in order, a wrong one is told in one sentence", () => {
    expect(readArgued().every(a => a.reason.length >= 20)).toBe(true);
    const folder = mkdtempSync(join(tmpdir(), "mnemo-argued-")),
      file = join(folder, "a.json");
    writeFileSync(file, JSON.stringify([{ ...argued, reason: "no" }]));
    expect(() => readArgued(file)).toThrow(/0\.reason/);
    rmSync(folder, { recursive: true });
  });
});

describe("bad usage is one sentence", () => {
  it.each([
    [["clio/netTx"], "clio/netTx names no module; give <design>/<Module>, such as clio/NetTx"],
    [
      ["moon/NetTx"],
      "there is no design moon; name the module as <design>/<Module>, the design one of clio, supernic, rack, legoos, wickit, fastswap, aifm, valet, hotpot, frame-counter, library",
    ],
    [
      ["clio/Nowhere"],
      "clio has no module Nowhere; `const Nowhere = ...` stands nowhere below designs/clio and designs/shared",
    ],
    [
      ["clio/NetTx", "--tests", "test/none"],
      "--tests test/none: there is no test file there; give a folder or a file of the repository",
    ],
    [
      ["clio/NetTx", "--limit", "0"],
      "option '--limit <number>' argument '0' is invalid. It must be a whole number from 1 to 1000000.",
    ],
  ])("%j", async (args, sentence) => {
    expect(await mnemo(["mutate", ...args])).toEqual({ code: 2, out: "", err: `mnemo: ${sentence}\n` });
  });
  it("an unknown operator: with those that there are", async () => {
    const { code, err } = await mnemo(["mutate", "clio/NetTx", "--only-operator", "magic"]);
    expect(code).toBe(2);
    expect(err).toMatch(/^mnemo: --only-operator magic: there is no such operator; there are bound, comparison,/);
  });
});
