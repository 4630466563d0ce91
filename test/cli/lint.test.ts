import { describe, expect, it } from "vitest";
import { lintDesign } from "../../cli/lint/lint.ts";
import type { EmittedDesign } from "../../hdl-dsl/index.ts";

const design = (text: string): EmittedDesign => ({ top: "t", files: [{ name: "t.v", text }], ports: [], streams: [], assertions: [] });
const complaining = async (text: string): Promise<string[]> => (await lintDesign(design(text))).map((c) => c.tool);

describe("each tool has its say", () => {
  it("nobody complains of a good module", async () => {
    expect(await complaining("module t(input wire a, output wire b);\n  assign b = ~a;\nendmodule\n")).toEqual([]);
  });
  it("a width that Verilator alone minds", async () => {
    expect(await complaining("module t(input wire [7:0] a, output wire [3:0] b);\n  assign b = a;\nendmodule\n")).toEqual(["verilator -Wall"]);
  });
  it("two drivers, which Yosys finds", async () => {
    expect(await complaining("module t(input wire a, input wire b, output wire c);\n  assign c = a;\n  assign c = b;\nendmodule\n")).toContain("yosys check -assert");
  });
  it("a wire that was never declared, of which Icarus warns", async () => {
    expect(await complaining("module t(input wire a, output wire b);\n  assign x = a;\n  assign b = x;\nendmodule\n")).toContain("iverilog -Wall");
  });
  it("text that is no Verilog: all of them", async () => {
    expect(await complaining("module t(;\n")).toEqual(["verilator -Wall", "yosys check -assert", "iverilog -Wall"]);
  });
});
