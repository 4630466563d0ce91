import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/setup/paths.mjs";
import { bodiesOf, chainsOf } from "./reading.ts";

/** The worked examples of docs/style.md: a file with the module, and a folder of the same name with its stages. */
const examples = [
  "clio/rtl/dispatch/mat",
  "clio/rtl/memory/translate",
  "clio/rtl/network/net-rx",
  "clio/rtl/retry/retry-verdict",
  "clio/rtl/transport/gbn-tx",
  "shared/virtual-memory/rtl/miss-table",
];
const mostLines = 60,
  mostCalls = 3;
const read = (path: string): string => readFileSync(join(root, "designs", path), "utf8");

describe("the worked examples keep the rules of docs/style.md that can be counted", () => {
  test.each(examples)("%s", example => {
    const bodies = bodiesOf(read(`${example}.ts`));
    expect(bodies.length).toBe(1);
    expect(bodies[0]?.count, `lines of the body in ${example}.ts`).toBeLessThanOrEqual(mostLines);
    const stages = readdirSync(join(root, "designs", example)).map(f => `${example}/${f}`);
    expect(stages.length).toBeGreaterThan(3);
    for (const path of [`${example}.ts`, ...stages]) {
      const long = chainsOf(read(path), mostCalls);
      expect(long, `${path} has more than ${mostCalls} calls one behind another: name a part`).toEqual([]);
    }
  });

  test("each is named in docs/style.md", () => {
    const page = readFileSync(join(root, "docs/style.md"), "utf8");
    for (const example of examples) expect(page).toContain(`../designs/${example}.ts`);
  });
});

describe("what is planted is found", () => {
  test("calls one behind another, however they are laid out", () => {
    expect(chainsOf("const a = b.and(c).or(d).not().any();", 3)).toEqual([{ line: 1, count: 4 }]);
    expect(chainsOf("const a =\n  b.x\n    .and(c)\n    .or(d.and(e))\n    .not()\n    .any();", 3)).toEqual([
      { line: 2, count: 4 },
    ]);
    expect(chainsOf("f(b.and(c).or(d.bits(0, 4).not().any()).not());", 3)).toEqual([]);
    expect(chainsOf("f(a.map(x => x.and(b).or(c).add(d).eq(e)));", 3)).toEqual([{ line: 1, count: 4 }]);
    expect(chainsOf("when(a, f).elseWhen(b, g).elseWhen(c, h).elseWhen(d, i).otherwise(j);", 3)).toEqual([]);
  });
  test("a body's lines", () => {
    const text = 'const M = module("M", ports, (io, p) => {\n  a();\n\n  b();\n}, { nameOf });';
    expect(bodiesOf(text)).toEqual([{ line: 1, count: 3 }]);
  });
});
