/** Contents of memories from text: as Icarus reads it, and as the emitted memory has it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emit, hexWords, input, module, output, ram, uint } from "../../../hdl-dsl/index.ts";
import { Random, simulate } from "../../../sim/index.ts";

/** A file of `depth` words of 32 bits with comments, blanks and jumps at random. */
function randomFile(random: Random, depth: number): string {
  let text = "";
  for (let at = 0; at < depth;) {
    if (random.chance(0.1)) text += random.pick(["// a word: 1f\n", "/* dead\n beef */", "\n\n", "\t", "//\n"]);
    if (random.chance(0.05)) {
      at = Math.min(depth - 1, at + random.below(9));
      text += ` @${at.toString(16)} `;
    }
    const word = random.below(2 ** 32).toString(16);
    text += random.chance(0.2) ? `${word.slice(0, 1)}_${word.slice(1)}`.replace(/_$/, "") : word;
    text += random.pick([" ", "\n", "/**/", "//x\n"]);
    at++;
  }
  return text;
}

/** The words as Icarus has them, those left out as 0. */
function icarusWords(text: string, depth: number): bigint[] {
  const dir = mkdtempSync(join(tmpdir(), "hex-words-"));
  try {
    writeFileSync(join(dir, "content.hex"), text);
    writeFileSync(
      join(dir, "show.v"),
      `module show;\n  reg [31:0] m [0:${depth - 1}];\n  integer i;\n  initial begin\n` +
        `    for (i = 0; i < ${depth}; i = i + 1) m[i] = 0;\n    $readmemh("content.hex", m);\n` +
        `    for (i = 0; i < ${depth}; i = i + 1) $display("%h", m[i]);\n  end\nendmodule\n`,
    );
    execFileSync("iverilog", ["-o", "show", "show.v"], { cwd: dir });
    const out = execFileSync("vvp", ["show"], { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return (out.match(/^[0-9a-f]{8}$/gm) ?? []).map(w => BigInt(`0x${w}`));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

describe("hexWords", () => {
  test("reads as Icarus does", () => {
    const random = new Random(3);
    for (let n = 0; n < 8; n++) {
      const depth = 1 + random.below(300),
        text = randomFile(random, depth),
        words = hexWords(text);
      expect([...words, ...Array<bigint>(depth - words.length).fill(0n)], text).toEqual(icarusWords(text, depth));
    }
  });

  test.each([
    ["12\n3x\n", 'boot.hex, line 2: "3x" is no hexadecimal word. Give digits 0 to 9 and a to f'],
    ["/* a\nb */ 0x12", 'boot.hex, line 2: "0x12" is no hexadecimal word. Give digits 0 to 9 and a to f'],
    ["1 /* no end", "boot.hex, line 1: a comment /* has no end. Write */ behind it"],
    ["@", 'boot.hex, line 1: "@" is no hexadecimal word. Give digits 0 to 9 and a to f'],
    ["@ffffffff 1", "boot.hex, line 1: address 4294967295 lies beyond 16777216 words. Give a lower @address"],
    ["\n@1000000 1", "boot.hex, line 2: address 16777216 lies beyond 16777216 words. Give a lower @address"],
    ["_", 'boot.hex, line 1: "_" is no hexadecimal word. Give digits 0 to 9 and a to f'],
  ])("%j: one sentence", (text, message) => {
    expect(() => hexWords(text, "boot.hex")).toThrow(message);
  });

  test("a deep memory has its contents, in several blocks", async () => {
    const random = new Random(4),
      words = Array.from({ length: 2500 }, (_, i) => BigInt(i % 700 < 300 ? random.below(2 ** 32) : 7));
    const text = words.map(w => w.toString(16)).join("\n");
    const Boot = module(
      "Boot",
      () => ({ at: input(uint(12)), word: output(uint(32)) }),
      io => {
        const store = ram(uint(32), { depth: 4096, collision: "undefined", init: hexWords(text) });
        io.word.set(store.readSync(io.at));
      },
    );
    expect(emit(Boot()).files[0]?.text.match(/^ {2}initial/gm)).toHaveLength(4);
    using sim = await simulate(Boot());
    for (let n = 0; n < 4096; n += 1 + random.below(3)) {
      sim.io.at.value = n;
      sim.step(2);
      expect(sim.io.word.value, `word ${n}`).toBe(Number(words[n] ?? 0n));
    }
  });
});
