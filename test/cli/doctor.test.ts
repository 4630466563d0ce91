import { expect, it } from "vitest";
import { versionIn } from "../../cli/doctor/inspect.ts";
import { tools } from "../../scripts/setup/tools.mjs";
import { mnemo } from "../support/command-line.ts";

it("names every tool and its version", async () => {
  const { code, out, err } = await mnemo(["doctor"]);
  expect([code, err]).toEqual([0, ""]);
  for (const t of Object.values(tools)) expect(out).toContain(t.name);
  expect(out).toContain(process.versions.node);
});

it.each([
  ["Verilator 5.006 2023-01-22 rev (Debian 5.006-3)", "5.006"],
  ["Debian clang version 14.0.6\nTarget: x86_64", "14.0.6"],
  ["GNU Make 4.3\nBuilt for", "4.3"],
  ["Yosys 0.23 (git sha1 7ce5011c24b)", "0.23"],
  ["no number", undefined],
])("%j is version %s", (text, version) => {
  expect(versionIn(text)).toBe(version);
});
