import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Counter } from "../../../docs/examples/counter.ts";
import { emit } from "../../../hdl-dsl/index.ts";
import { run } from "../../hdl-dsl/support/lint.ts";
import { mnemo } from "../../support/command-line.ts";

const counter = "docs/examples/counter.ts";
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-emit-"));
  writeFileSync(join(folder, "nothing.ts"), "export const width = 8;\n");
  writeFileSync(join(folder, "broken.ts"), "export const = ;\n");
  writeFileSync(
    join(folder, "several.ts"),
    "export const A = () => ({ name: 1 });\nexport const B = () => undefined;\n",
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("mnemo emit", () => {
  it("writes what emit gives, and lints it", async () => {
    const out = join(folder, "out");
    expect(await mnemo(["emit", counter, "--set", "width=5", "--out", out, "--lint"])).toEqual({
      code: 0,
      err: "",
      out: `${["v", "synthesis.f", "simulation.f"].map(end => `${out}/Counter_width5.${end}\n`).join("")}Counter_width5 passes verilator -Wall, yosys check -assert, iverilog -Wall\n`,
    });
    expect((await mnemo(["where", `${out}/Counter_width5.v:11`])).out).toMatch(
      /^docs\/examples\/counter\.ts:\d+: const value = reg\(uint\(p\.width\), \{ init: 0 \}\);\n$/,
    );
    expect(readFileSync(join(out, "Counter_width5.v"), "utf8")).toBe(emit(Counter({ width: 5 })).files[0]?.text);
  });

  it("a module with pads gets one around it that has them as inout ports, and the lists name it", async () => {
    const file = join(folder, "padded.ts"),
      out = join(folder, "padded");
    writeFileSync(
      file,
      `import { bit, inout, input, module, output } from "${pathToFileURL(resolve("hdl-dsl/index.ts")).href}";
export const Line = module("Line", () => ({ sda: inout(bit), low: input(bit), seen: output(bit) }), io => {
  io.sda.out.set(0);
  io.sda.enable.set(io.low);
  io.seen.set(io.sda.in);
});
`,
    );
    expect(await mnemo(["emit", file, "--out", out, "--lint"])).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(join(out, "Line_pads.synthesis.f"), "utf8")).toBe("Line.v\nLine_pads.v\n");
    expect(readFileSync(join(out, "Line_pads.v"), "utf8")).toContain("  inout  wire sda,\n");
  });

  it("a black box lies in folders of its own, and only the list for simulation has its stand-in", async () => {
    const file = join(folder, "boxed.ts"),
      out = join(folder, "boxed"),
      read = (name: string): string => readFileSync(join(out, name), "utf8");
    writeFileSync(
      file,
      `import { bit, blackBox, input, instance, module, output } from "${pathToFileURL(resolve("hdl-dsl/index.ts")).href}";
const Buffer = blackBox("VENDOR_BUF", { I: input(bit), O: output(bit) }, { simulation: "  assign O = I;" });
export const Boxed = module("Boxed", () => ({ a: input(bit), y: output(bit) }), io => {
  const buffer = instance(Buffer);
  buffer.I.set(io.a);
  io.y.set(buffer.O);
});
`,
    );
    expect(await mnemo(["emit", file, "--out", out, "--lint"])).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(out, { recursive: true }).sort()).toEqual([
      "Boxed.names.json",
      "Boxed.simulation.f",
      "Boxed.synthesis.f",
      "Boxed.v",
      "Boxed.v.map",
      "simulation",
      "simulation/VENDOR_BUF.v",
      "synthesis",
      "synthesis/VENDOR_BUF.v",
    ]);
    expect(read("Boxed.synthesis.f")).toBe("synthesis/VENDOR_BUF.v\nBoxed.v\n");
    expect(read("Boxed.simulation.f")).toBe("simulation/VENDOR_BUF.v\nBoxed.v\n");
    expect(read("simulation/VENDOR_BUF.v")).toContain("assign O = I;");
    expect(read("synthesis/VENDOR_BUF.v")).not.toContain("assign");
    // The list is one that tools take.
    expect(run("verilator", ["--lint-only", "-Wall", "--top-module", "Boxed", "-f", "Boxed.simulation.f"], out)).toBe(
      "",
    );
    expect(run("iverilog", ["-g2005", "-Wall", "-t", "null", "-s", "Boxed", "-c", "Boxed.simulation.f"], out)).toBe("");
  });

  const refused: readonly (readonly [what: string, args: () => readonly string[], sentence: () => string])[] = [
    ["no such file", () => ["none.ts"], () => "none.ts: there is no such file"],
    [
      "no module in it",
      () => [join(folder, "nothing.ts")],
      () => `${join(folder, "nothing.ts")} exports no module: write \`export const Name = module(...)\``,
    ],
    [
      "several",
      () => [join(folder, "several.ts")],
      () => `${join(folder, "several.ts")} exports A, B: choose with --module <name>`,
    ],
    [
      "another function",
      () => [join(folder, "several.ts"), "--module", "A"],
      () => `A of ${join(folder, "several.ts")} is no module: choose another export with --module <name>`,
    ],
    [
      "unknown export",
      () => [counter, "--module", "Conter"],
      () => `${counter} exports no module Conter; it exports Counter`,
    ],
    [
      "parameter without a value",
      () => [counter, "--set", "width"],
      () => "--set width: a parameter is given as name=value",
    ],
  ];
  it.each(refused)("%s is refused with one sentence", async (_what, args, sentence) => {
    expect(await mnemo(["emit", ...args(), "--out", join(folder, "never")])).toEqual({
      code: 2,
      out: "",
      err: `mnemo: ${sentence()}\n`,
    });
  });
  it("a file that does not parse, and missing parameters, are refused too", async () => {
    const broken = await mnemo(["emit", join(folder, "broken.ts")]);
    expect([
      broken.code,
      broken.err.split("\n").length > 1,
      broken.err.startsWith(`mnemo: ${join(folder, "broken.ts")} cannot be loaded: `),
    ]).toEqual([2, true, true]);
    const bare = await mnemo(["emit", counter, "--out", join(folder, "never")]);
    expect([bare.code, bare.err]).toEqual([
      2,
      expect.stringMatching(
        /^mnemo: Counter cannot be made without parameters \(.*\): give them with --set name=value\n$/,
      ) as string,
    ]);
    // Its ports need no parameters, its body does.
    writeFileSync(
      join(folder, "body.ts"),
      `import { input, module, output, uint } from "${pathToFileURL(resolve("hdl-dsl/index.ts")).href}";
const ports = () => ({ a: input(uint(8)), b: output(uint(8)) });
export const Plus = module("Plus", ports, (io, p: { readonly by: number }) => io.b.set(io.a.add(p.by)));
`,
    );
    const late = await mnemo(["emit", join(folder, "body.ts"), "--out", join(folder, "never")]);
    expect([late.code, late.err]).toEqual([
      2,
      expect.stringMatching(
        /^mnemo: Plus cannot be made without parameters \(.*\): give them with --set name=value\n$/,
      ) as string,
    ]);
  });
});
