/** The board htg9200_supernic: the device with four vendor MACs, as files for the vendor's tools. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readBoard } from "../../../../cli/board/boards.ts";
import { boardFiles } from "../../../../cli/board/run-board.ts";
import { boardDevice } from "../../../../designs/supernic/board/index.ts";
import { parseDevice, sizesOf, tasksOf } from "../../../../designs/supernic/build/index.ts";
import { emit } from "../../../../hdl-dsl/index.ts";
import { root } from "../../../../scripts/setup/paths.mjs";

describe("htg9200_supernic", () => {
  const text = readFileSync(join(root, "constraints/boards/htg9200_supernic.json"), "utf8");
  it("a build with other ports than the board has MACs is refused", () => {
    const b = readBoard(text.replace('"ports": 4', '"ports": 2'), "x.json");
    expect(() => boardFiles(root, b)).toThrow("parameters.ports is 2, and there are 4 macs; give as many");
  });
  it("a build that wants a memory is refused: the board's data name none", () => {
    const b = readBoard(text.replace('"ports": 4', '"ports": 4, "spill": "true"'), "x.json");
    expect(() => boardFiles(root, b)).toThrow(
      "htg9200_supernic: parameters give the device something to keep in a memory, and boards with ports name none; leave out spill and tasks with memory",
    );
  });
  it("a device with tasks that have memory, and rings, has their one bus in the memory's clock", () => {
    const build = boardDevice(tasksOf([["kv_lru(64)"]]))(
        sizesOf(parseDevice(["ports=2", "regions=1", "slots=1", "chains=kv_lru(64)", "spill=true"])),
      ),
      { ports } = emit(build),
      names = ports.map(p => p.name);
    expect(ports.find(p => p.name === "mem_aw_payload_addr")?.width).toBe(31);
    expect(ports.find(p => p.name === "mem_ar_payload_id")?.width).toBe(2);
    expect(names).toEqual(expect.arrayContaining(["memory_clk", "memory_rst", "rings_aw_valid", "page_out_valid"]));
    expect(names.filter(n => /^(?:m|spill)_(?:aw|ar)_/.test(n))).toEqual([]);
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
