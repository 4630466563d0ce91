/** The page of promises: each of its commands names what is there, and no point is left out. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeProofs } from "../../../designs/clio/rtl/index.ts";
import { libraryProofs } from "../../../hdl-dsl/index.ts";
import { projectFolder } from "../../../sim/index.ts";

const page = readFileSync(join(projectFolder(), "docs/clio/promises.md"), "utf8"),
  rows = page.split("\n").filter(line => /^\| .*`npx |^\| .*`MNEMO/.test(line)),
  commands = rows.map(row => /`((?:MNEMO_\w+=\S+ )?npx [^`]*)`/.exec(row)![1]!);
/** Points of each section. */
const points = { 1: 5, 2: 4, 3: 3, 4: 3, 5: 6 };

it("every point has a row", () => {
  const named = new Set(rows.map(row => /^\| (\d\.\d) \|/.exec(row)?.[1]));
  for (const [section, count] of Object.entries(points))
    for (let n = 1; n <= count; n++) expect([...named]).toContain(`${section}.${n}`);
});
it.each(commands)("%s", command => {
  const paths = [...command.matchAll(/\btest\/\S+/g)].map(([path]) => path),
    only = / -t "([^"]*)"/.exec(command)?.[1],
    proof = /mnemo prove "?([^"]*?)"?(?: --faults)?$/.exec(command)?.[1];
  for (const path of paths) expect(existsSync(join(projectFolder(), path)), path).toBe(true);
  if (only !== undefined) expect(readFileSync(join(projectFolder(), paths[0]!), "utf8")).toContain(only);
  if (proof !== undefined)
    expect([...nodeProofs, ...libraryProofs].some(p => p.module.toLowerCase().includes(proof.toLowerCase()))).toBe(
      true,
    );
  expect(paths.length > 0 || command.includes("mnemo")).toBe(true);
});
