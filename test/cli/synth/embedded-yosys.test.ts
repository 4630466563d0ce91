import { afterEach, expect, it } from "vitest";
import { findYosys } from "../../../cli/synth/yosys.ts";

const path = process.env["PATH"];
afterEach(() => {
  process.env["PATH"] = path;
});

it("takes the Yosys of the PATH, and without one that of npm, which gives a netlist and says what is wrong", async () => {
  expect((await findYosys()).version).not.toContain("WebAssembly");
  process.env["PATH"] = "";
  const yosys = await findYosys(),
    passes: string[] = [];
  expect(yosys.version).toBe("Yosys 0.55.944 (WebAssembly)");
  const file = {
    name: "half.v",
    text: "module half(input wire a, input wire b, output wire s); assign s = a ^ b; endmodule\n",
  };
  const netlist = await yosys.run(
    [file],
    "read_verilog half.v\nsynth_ice40 -top half -json half.json\n",
    "half.json",
    pass => {
      passes.push(pass);
    },
  );
  expect(
    Object.values(
      (JSON.parse(netlist) as { modules: { half: { cells: Record<string, { type: string }> } } }).modules.half.cells,
    ).map(c => c.type),
  ).toEqual(["SB_LUT4"]);
  expect(passes).toContain("SYNTH_ICE40");
  await expect(
    yosys.run([file], "read_verilog half.v\nhierarchy -check -top other\n", "x", () => undefined),
  ).rejects.toThrow("other");
});
