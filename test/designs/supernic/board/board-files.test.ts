/** The board htg9200_supernic: the device with four vendor MACs, as files for the vendor's tools. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readBoard } from "../../../../cli/board/boards.ts";
import { boardFiles } from "../../../../cli/board/run-board.ts";
import { root } from "../../../../scripts/setup/paths.mjs";

describe("htg9200_supernic", () => {
  const text = readFileSync(join(root, "constraints/boards/htg9200_supernic.json"), "utf8");
  it("a build with other ports than the board has MACs is refused", () => {
    const b = readBoard(text.replace('"ports": 4', '"ports": 2'), "x.json");
    expect(() => boardFiles(root, b)).toThrow("parameters.ports is 2, and there are 4 macs; give as many");
  });
  it("each port has a MAC, a clock and pins of its own; the crossings have their clocks", () => {
    const files = boardFiles(root, readBoard(text, "x.json")),
      top = files.find(f => f.path.endsWith("_top.v"))?.text ?? "",
      xdc = files.find(f => f.path.endsWith(".xdc"))?.text ?? "";
    for (let i = 0; i < 4; i++) {
      expect(top).toContain(`supernic_mac${i}_wrapper mac${i} (`);
      expect(top).toContain(`.mac${i}_clk(mac${i}_clk)`);
      expect(xdc).toContain(`create_clock -period 6.206 -name qsfp_${6 + i}_mgt_refclk`);
      expect(xdc.match(new RegExp(`PACKAGE_PIN .*qsfp_${6 + i}_[rt]x_`, "g"))).toHaveLength(16);
    }
    const crossing = files.find(f => /\/MacCrossing_\w+\.v$/.test(f.path))?.text ?? "";
    expect(crossing).toMatch(/input {2}wire +mac_clk/);
    expect(crossing).toMatch(/input {2}wire +node_clk/);
  });
});
