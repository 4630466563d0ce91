import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mnemo } from "../../../support/command-line.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-generate-clio-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a configuration of one's own", () => {
  it("is written to the folder named", async () => {
    const { code, out, err } = await mnemo([
      "generate",
      "--out",
      folder,
      "--set",
      "dataWidth=128",
      "--set",
      "tlbEntries=32",
    ]);
    expect([code, err]).toEqual([0, ""]);
    const files = readdirSync(folder);
    expect(out).toBe(`${files.length} files written to ${folder}\n`);
    const [top] = files.filter(f => f.startsWith("ClioNode_") && f.endsWith(".v"));
    expect(readFileSync(join(folder, top!), "utf8")).toMatch(/input +wire \[127:0\] +rx_payload_data/);
  });
  it("that cannot be is refused with the nearest that can", async () => {
    expect(await mnemo(["generate", "--out", folder, "--set", "dataWidth=100"])).toEqual({
      code: 2,
      out: "",
      err: 'mnemo: dataWidth = "100": must be 64, 128, 256 or 512; the nearest is 128\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
