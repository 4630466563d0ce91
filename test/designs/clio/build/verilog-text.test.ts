import { beforeAll, describe, expect, test } from "vitest";
import { clioNode } from "../../../../designs/clio/build/index.ts";
import { deriveConfig, parametersSchema } from "../../../../designs/clio/config/index.ts";
import { emit, type EmittedFile } from "../../../../hdl-dsl/index.ts";

/** What a reviewer meets in the default node: measured on the emitted text, printed, and held to bounds. */
interface Measure {
  readonly lines: number;
  readonly wires: number;
  /** Wires whose name is another one of their module and a number. */
  readonly numbered: number;
  /** Wires and assignments that only repeat another name. */
  readonly aliases: number;
  /** Comparisons of a name with a bare number. */
  readonly bare: number;
}
/** A comparison for equality with a number: what is compared, and the number. */
const comparison = /(\w+(?:\[[^\]]*\])?) (?:==|!=) (\d+'[bdh][0-9a-f]+)/g;

/** Wires and registers of a module, and its ports. */
function namesIn(text: string): { readonly wires: string[]; readonly all: Set<string> } {
  const wires: string[] = [],
    all = new Set<string>();
  for (const [, kind, names = ""] of text.matchAll(
    /^ {2}(?:\(\*.*?\*\) )?(wire|reg) (?:signed )?(?:\[[^\]]*\] )?(\w+(?:,\s+\w+)*)/gm,
  ))
    for (const n of names.split(/,\s+/)) {
      all.add(n);
      if (kind === "wire") wires.push(n);
    }
  for (const [, n = ""] of text.matchAll(/^ {2}(?:input|output) +wire +(?:signed +)?(?:\[[^\]]*\] +)?(\w+)/gm))
    all.add(n);
  return { wires, all };
}

function measure(files: readonly EmittedFile[]): Measure {
  let lines = 0,
    wires = 0,
    numbered = 0,
    aliases = 0,
    bare = 0;
  for (const { text } of files) {
    const found = namesIn(text);
    lines += text.split("\n").length - 1;
    wires += found.wires.length;
    numbered += found.wires.filter(n => {
      const base = /^(.*)_\d+$/.exec(n)?.[1];
      return base !== undefined && found.all.has(base);
    }).length;
    aliases += [...text.matchAll(/^ {2}(?:wire (?:\[[^\]]*\] )?|assign )\w+ = \w+;/gm)].length;
    bare += [...text.matchAll(comparison)].length;
  }
  return { lines, wires, numbered, aliases, bare };
}

let files: readonly EmittedFile[] = [];
beforeAll(() => {
  files = emit(clioNode(deriveConfig(parametersSchema.parse({})))).files;
});

describe("the Verilog of the default node", () => {
  test("lines, numbered names and aliases stay within bounds", () => {
    const m = measure(files);
    console.log(
      `${m.lines} lines, ${m.wires} wires, ${m.numbered} numbered (${((100 * m.numbered) / m.wires).toFixed(1)} %), ${m.aliases} aliases, ${m.bare} comparisons with bare numbers`,
    );
    expect(m.lines).toBeLessThan(14_500);
    expect(m.lines).toBeGreaterThan(5_000);
    expect(m.numbered / m.wires).toBeLessThan(0.05);
    expect(m.aliases).toBeLessThan(300);
    // Each of 64 retry clients is told apart by its number, in turns for places as well.
    expect(m.bare).toBeLessThan(1_530);
  });

  test("no name has a digest, no line of a header is beyond 120 columns", () => {
    const isDigest = (part: string): boolean => /^(?:[0-9a-f]{6}|[0-9a-f]{8})$/.test(part) && !/^[a-z]*\d+$/.test(part);
    expect(["51a76732", "090f99", "fb1536", "d64"].map(isDigest)).toEqual([true, true, false, false]);
    expect(files.filter(f => f.name.replace(".v", "").split("_").some(isDigest)).map(f => f.name)).toEqual([]);
    expect(files.map(f => f.name)).toContain("Fifo_ReadBeat_d64.v");
    for (const f of files) {
      const header = f.text.slice(0, f.text.indexOf("\nmodule ")).split("\n");
      expect(Math.max(...header.map(l => l.length)), f.name).toBeLessThanOrEqual(120);
    }
  });

  test("statuses and opcodes are compared with names", () => {
    const found = files.flatMap(f =>
      [...f.text.matchAll(comparison)].map(([all, what]) => [f.name, all, what] as const),
    );
    expect(found.filter(([, , what]) => /(?:^|_)(?:status|opcode)$/.test(what ?? ""))).toEqual([]);
    const all = files.map(f => f.text).join("");
    expect(all).toMatch(/_status == status_ok\b/);
    expect(all).toMatch(/_opcode == opcode_read_reply\b/);
    expect(all).toMatch(/\bopcode_read_reply = 8'h41[,;]/);
  });

  test("a view is named after its const", () => {
    const text = files.find(f => f.name.startsWith("Translate_"))?.text ?? "";
    expect(text).toMatch(/wire request_needs_write = /);
    expect(text).not.toMatch(/permitted_word\[/);
  });

  test("what is measured is what is there: numbers, aliases, comparisons and lines of a text that has them", () => {
    const text =
      "module m (\n  input  wire a\n);\n  wire [1:0] b, b_1,\n    b_2;\n  wire c = a;\n  assign b = {a, c == 1'b1};\nendmodule\n";
    expect(measure([{ name: "m.v", text }])).toEqual({ lines: 8, wires: 4, numbered: 2, aliases: 1, bare: 1 });
  });
});
