import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, lintDesign } from "../../cli/lint/lint.ts";
import type { EmittedDesign } from "../../hdl-dsl/index.ts";

let cache = "";
const before = process.env["MNEMO_CACHE"];
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "mnemo-lint-test-"));
  process.env["MNEMO_CACHE"] = cache;
});
afterEach(() => {
  if (before === undefined) delete process.env["MNEMO_CACHE"];
  else process.env["MNEMO_CACHE"] = before;
  rmSync(cache, { recursive: true, force: true });
});

const design = (text: string): EmittedDesign => ({
  top: "t",
  files: [{ name: "t.v", text }],
  ports: [],
  streams: [],
  assertions: [],
});
const complaining = async (text: string): Promise<string[]> => (await lintDesign(design(text))).map(c => c.tool);

it("a tool that does not come to an end is ended, in one sentence", async () => {
  await expect(ask("sleep", ["60"], ".", 0.1)).rejects.toThrow(
    /^it was ended after 0.1 s; an initial block of many thousand words is the usual reason: make the memory wider/,
  );
});

describe("each tool has its say", () => {
  it("nobody complains of a good module", async () => {
    expect(await complaining("module t(input wire a, output wire b);\n  assign b = ~a;\nendmodule\n")).toEqual([]);
  });
  it("a width that Verilator alone minds", async () => {
    expect(
      await complaining("module t(input wire [7:0] a, output wire [3:0] b);\n  assign b = a;\nendmodule\n"),
    ).toEqual(["verilator -Wall"]);
  });
  it("two drivers, which Yosys finds", async () => {
    expect(
      await complaining(
        "module t(input wire a, input wire b, output wire c);\n  assign c = a;\n  assign c = b;\nendmodule\n",
      ),
    ).toContain("yosys check -assert");
  });
  it("a wire that was never declared, of which Icarus warns", async () => {
    expect(
      await complaining("module t(input wire a, output wire b);\n  assign x = a;\n  assign b = x;\nendmodule\n"),
    ).toContain("iverilog -Wall");
  });
  it("text that is no Verilog: all of them", async () => {
    expect(await complaining("module t(;\n")).toEqual(["verilator -Wall", "yosys check -assert", "iverilog -Wall"]);
  });
});

describe("what a tool said of a text", () => {
  const narrow = "module t(input wire [7:0] a, output wire [3:0] b);\n  assign b = a; // x.ts:1\nendmodule\n";
  it("is recalled for the same text, wherever it comes from in the TypeScript, and for no other", async () => {
    expect(await complaining(narrow)).toEqual(["verilator -Wall"]);
    const kept = readdirSync(join(cache, "lint"));
    expect(kept).toHaveLength(3);
    // Only what is kept can say this.
    for (const k of kept) writeFileSync(join(cache, "lint", k), '{"text":null}');
    expect(await complaining(narrow.replace("x.ts:1", "y.ts:22"))).toEqual([]);
    expect(await complaining(narrow.replace("assign b = a;", "assign b = a ;"))).toEqual(["verilator -Wall"]);
  });
  it("is asked again when the file is damaged", async () => {
    await complaining(narrow);
    for (const k of readdirSync(join(cache, "lint"))) writeFileSync(join(cache, "lint", k), '{"te');
    expect(await complaining(narrow)).toEqual(["verilator -Wall"]);
  });
});
