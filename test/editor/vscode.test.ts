/** The extension for VS Code without VS Code: its functions on what `mnemo` writes and says, and its package. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawArguments, emitArguments, folderOf, hasModule } from "../../editor/vscode/src/commands.ts";
import { problemsOf } from "../../editor/vscode/src/diagnostics.ts";
import { clockOf, hoverText, type Names, signalsAt } from "../../editor/vscode/src/hover.ts";
import { type RawMap, sourceOf, verilogOf } from "../../editor/vscode/src/maps.ts";
import { mnemo } from "../support/command-line.ts";
import { mnemoProcess } from "../support/mnemo-process.ts";

const folder = `out/vscode-${process.pid}`,
  at = (name: string): string => join(folder, name);
const text = `import { bit, clockDomain, enumOf, inDomain, input, module, mux, output, reg, struct, uint, when } from "../../hdl-dsl/index.ts";
// mnemo: --module Pair
const Mood = enumOf("Mood", ["calm", "wild"]);
export const Pair = module("Pair", () => ({ go: input(bit), slow: input(bit, { domain: "aux" }), y: output(uint(4)), z: output(bit, { domain: "aux" }) }), io => {
  const aux = clockDomain("aux");
  const kept = reg(struct({ low: uint(4), high: uint(2) }), { init: { low: 0, high: 0 } });
  const mood = reg(Mood, { init: "calm" });
  when(io.go, () => { kept.low.set(kept.low.add(1)); kept.high.set(2); mood.set("wild"); });
  inDomain(aux, () => { const seen = reg(bit, { init: 0 }); seen.set(io.slow); io.z.set(seen); });
  io.y.set(mux(mood.eq("wild"), kept.low, kept.high.zext(4)));
});
export const Other = 1;
`;
const source = "pair.ts";
let verilog = "",
  map: RawMap,
  names: Names;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(at("package.json"), '{ "type": "module" }\n');
  writeFileSync(at(source), text);
  const [verb, , ...rest] = emitArguments(source, text);
  const said = await mnemo([verb!, at(source), ...rest.slice(0, -1), at("v")]);
  expect([said.code, said.err]).toEqual([0, ""]);
  verilog = readFileSync(at("v/Pair.v"), "utf8");
  map = JSON.parse(readFileSync(at("v/Pair.v.map"), "utf8")) as RawMap;
  names = JSON.parse(readFileSync(at("v/Pair.names.json"), "utf8")) as Names;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("jumps", () => {
  const lineOf = (part: string): number => verilog.split("\n").findIndex(l => l.includes(part)) + 1;

  it("from a line of Verilog to what made it, as mnemo where does", async () => {
    for (const part of ["reg [3:0] kept_low", "kept_low <= kept_low + 4'd1", "seen <= slow"]) {
      const line = lineOf(part);
      expect(line, part).toBeGreaterThan(0);
      const where = (await mnemo(["where", `${at("v/Pair.v")}:${line}`])).out.split("\n").filter(l => l !== "");
      expect(sourceOf(map, line).map(p => `${p.file}:${p.line}`)).toEqual(where.map(l => l.split(": ")[0]));
    }
  });
  it("and back: a line's Verilog, or that of the nearest line above that has some", () => {
    const all = [{ file: "Pair.v", map }],
      declared = verilogOf(all, source, 6);
    expect(declared).toContainEqual({ file: "Pair.v", line: lineOf("reg [3:0] kept_low") });
    for (const p of declared) expect(sourceOf(map, p.line)).toContainEqual({ file: source, line: 6 });
    expect(verilogOf(all, source, 12)).toEqual(verilogOf(all, source, 10));
    expect(verilogOf(all, "nothing.ts", 6)).toEqual([]);
    expect(verilogOf(all, source, 1)).toEqual([]);
  });
});

describe("hover", () => {
  const say = (name: string): string => hoverText(signalsAt(names, source, name), () => verilog);
  it("says width, kind and domain of a register, each field of a struct, the names of states", () => {
    expect(say("kept")).toContain("`kept.low`: reg of 4 bits, `kept_low` in `Pair`, the default domain");
    expect(say("kept")).toContain("`kept.high`: reg of 2 bits");
    expect(say("mood")).toMatch(/reg of 1 bit.*states calm, wild, the default domain/);
    expect(say("seen")).toContain("`seen`: reg of 1 bit, `seen` in `Pair`, domain aux");
    expect(say("go")).toBe("`go`: input of 1 bit, `go` in `Pair`");
    expect(say("nothing")).toBe("");
  });
  it("knows no clock of what is no register", () => {
    expect([clockOf(verilog, "kept_low"), clockOf(verilog, "seen"), clockOf(verilog, "y")]).toEqual([
      "clk",
      "aux_clk",
      undefined,
    ]);
  });
});

describe("problems", () => {
  it("are what mnemo emit says, with places in the file", async () => {
    const wrong = text.replace("kept.high.set(2)", "kept.high.set(9)").replace(/io\.y\.set.*/, "");
    writeFileSync(at("wrong.ts"), wrong);
    const { code, err } = await mnemo(["emit", at("wrong.ts"), "--module", "Pair", "--out", at("w")]);
    expect(code).toBe(1);
    const problems = problemsOf(err);
    expect(problems.length).toBe(err.trim().split("\n").length);
    expect(problems).toContainEqual(
      expect.objectContaining({ file: "wrong.ts", line: 8, severity: "error", code: "HDL102" }),
    );
    expect(problems.every(p => p.text !== "")).toBe(true);
  });
  it("of what is no TypeScript stand where it is, and name the file that is imported", async () => {
    writeFileSync(at("broken.ts"), text.replace("const kept", "2const kept"));
    writeFileSync(at("outer.ts"), 'import "./broken.ts";\n');
    for (const name of ["broken.ts", "outer.ts"]) {
      // In a process of its own: the runner of tests reads TypeScript by other means, and says other things.
      const { stderr } = await mnemoProcess("emit", at(name), "--module", "Pair", "--out", at("w")).ended;
      expect(problemsOf(stderr)).toEqual([
        { file: "broken.ts", line: 6, severity: "error", code: undefined, text: 'Syntax error "c"' },
      ]);
    }
  });
  it("warnings are warnings, and what a module throws has its line", async () => {
    const loud = text.replace(/io\.y\.set.*/, 'throw new Error("no such table");');
    writeFileSync(at("loud.ts"), loud);
    const { err } = await mnemo(["emit", at("loud.ts"), "--module", "Pair", "--out", at("w")]);
    expect(problemsOf(err)).toEqual([
      { file: "loud.ts", line: 10, severity: "error", code: undefined, text: "no such table" },
    ]);
    expect(problemsOf("warning: HDL012 in A: a control register without a reset (a.ts:7). Give it init")).toEqual([
      {
        file: "a.ts",
        line: 7,
        severity: "warning",
        code: "HDL012",
        text: "a control register without a reset. Give it init",
      },
    ]);
    expect(problemsOf("1 warning; --strict makes them errors\n")).toEqual([]);
    expect(problemsOf("mnemo: a.ts: there is no such file\n")).toEqual([
      { file: undefined, line: 1, severity: "error", code: undefined, text: "a.ts: there is no such file" },
    ]);
  });
});

it("commands: settings from a comment, output out of the way", () => {
  expect(emitArguments("src/a b.ts", "// mnemo: --module A --set width=8\n")).toEqual([
    "emit",
    "src/a b.ts",
    "--module",
    "A",
    "--set",
    "width=8",
    "--out",
    "out/vscode/src-a-b",
  ]);
  expect(drawArguments("a.ts", "").at(-1)).toBe(`${folderOf("a.ts")}/schematic.svg`);
  expect([hasModule(text), hasModule('import { x } from "mnemosyne";'), hasModule("module(1)")]).toEqual([
    true,
    false,
    false,
  ]);
});

/** The files of an archive, by its directory; it holds them as they are. */
function unzipped(archive: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>(),
    end = archive.length - 22;
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const size = archive.readUInt32LE(at + 24),
      length = archive.readUInt16LE(at + 28),
      from = archive.readUInt32LE(at + 42) + 30 + length;
    files.set(archive.toString("utf8", at + 46, at + 46 + length), archive.toString("utf8", from, from + size));
    at += 46 + length;
  }
  return files;
}

it("the package holds the manifest and one program that loads but for VS Code, the same each time", () => {
  const pack = (name: string): Buffer => {
    execFileSync(process.execPath, ["editor/vscode/package.mjs", at(name)]);
    return readFileSync(at(name));
  };
  const once = pack("a.vsix");
  expect(pack("b.vsix").equals(once)).toBe(true);
  const files = unzipped(once);
  expect([...files.keys()]).toEqual([
    "extension.vsixmanifest",
    "[Content_Types].xml",
    "extension/package.json",
    "extension/extension.js",
  ]);
  const program = files.get("extension/extension.js") ?? "";
  expect([...program.matchAll(/require\("([^"]+)"\)/g)].map(m => m[1]).filter(n => !n!.startsWith("node:"))).toEqual([
    "vscode",
  ]);
  const manifest = JSON.parse(files.get("extension/package.json") ?? "") as {
    readonly contributes: { readonly commands: readonly { readonly command: string }[] };
  };
  for (const { command } of manifest.contributes.commands) expect(program).toContain(`"${command}"`);
});
