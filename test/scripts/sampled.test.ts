import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { heavyFiles, heavyTests, inPart, inSample, isSampled, oneIn, partOf } from "../support/sampled/choice.ts";
import { sampledSummary } from "../support/sampled/summary.ts";

const names = Array.from({ length: 400 }, (_, n) => `planted faults fault ${n} is found`),
  files = ["test/a.test.ts", "test/b/faults.test.ts", ...Object.keys(heavyFiles)];

it("each test is in the quick run or in the rest, never in both", () => {
  for (const file of files)
    for (const name of ["an idle frame", ...names]) {
      expect(inPart("all", file, name)).toBe(true);
      expect(inPart("sample", file, name)).not.toBe(inPart("rest", file, name));
    }
});
it("of planted faults one in eight is in it, of other tests all but those of long files", () => {
  const of = (file: string): number => names.filter(n => inSample(file, n)).length;
  expect(of("test/a.test.ts") / names.length).toBeCloseTo(1 / oneIn, 1);
  expect(inSample("test/a.test.ts", "an idle frame")).toBe(true);
  expect(isSampled("test/a.test.ts", "an idle frame")).toBe(false);
  for (const file of Object.keys(heavyFiles)) expect(inSample(file, "an idle frame")).toBe(false);
});
it("the lists of what takes long name what is there", () => {
  expect([...Object.keys(heavyFiles), ...Object.keys(heavyTests)].filter(f => !existsSync(f))).toEqual([]);
  for (const [file, [name = ""] = []] of Object.entries(heavyTests)) expect(inSample(file, name)).toBe(false);
});
it("a run that names a file or a test takes all of it, others what is asked for", () => {
  expect(partOf(undefined, [])).toBe("sample");
  expect(partOf(undefined, ["--reporter=json", "--outputFile.json=x"])).toBe("sample");
  expect(partOf(undefined, ["test/cli"])).toBe("all");
  expect(partOf(undefined, ["-t", "resets"])).toBe("all");
  expect(partOf(undefined, ["--testNamePattern=resets"])).toBe("all");
  expect(partOf("rest", [])).toBe("rest");
  expect(() => partOf("fast", [])).toThrow('MNEMO_TESTS = "fast": must be sample, rest or all');
});
it("the end of a run says what it left out, and CI runs that", () => {
  expect(sampledSummary("sample", "3 test/a.test.ts\n4 test/b.test.ts\n")).toContain("7 tests in 2 files");
  expect(sampledSummary("all", "")).toBe("");
  expect(readFileSync(".ci/run", "utf8")).toContain("MNEMO_TESTS=rest");
});
