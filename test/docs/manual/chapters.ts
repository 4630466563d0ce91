/** The manual's chapters taken apart: the fenced blocks that are programs, and those that show what a program gives. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
export const manual = resolve(root, "docs/manual");

/** A fenced block: its language and the rest of its first line; `line` is the index of its first line of text. */
export interface Block {
  readonly language: string;
  readonly info: string;
  readonly text: string;
  readonly line: number;
  readonly lines: number;
}
export interface Chapter {
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}
/** A program of a chapter: a module, or a bench (`.test.ts`). `shown`: the calls whose Verilog stands below it. */
export interface Example {
  readonly chapter: string;
  readonly file: string;
  readonly text: string;
  readonly shown: readonly Block[];
}

function blocksOf(text: string): Block[] {
  const lines = text.split("\n"),
    blocks: Block[] = [];
  for (let i = 0; i < lines.length; i++) {
    const opening = /^```(\w+) ?(.*)$/.exec(lines[i] ?? "");
    if (opening === null) continue;
    const end = lines.indexOf("```", i + 1);
    if (end < 0) throw new Error(`the block that begins at line ${i + 1} has no end`);
    blocks.push({
      language: opening[1] as string,
      info: opening[2] as string,
      text: lines.slice(i + 1, end).join("\n"),
      line: i + 1,
      lines: end - i - 1,
    });
    i = end;
  }
  return blocks;
}

export function chapters(): readonly Chapter[] {
  return readdirSync(manual)
    .filter(f => f.endsWith(".md"))
    .sort()
    .map(name => {
      const text = readFileSync(resolve(manual, name), "utf8");
      return { name, text, blocks: blocksOf(text) };
    });
}

/** Programs are the `ts` blocks with a file name; the `verilog` blocks up to the next program belong to them. */
export function examplesOf(c: Chapter): readonly Example[] {
  const programs = c.blocks.filter(b => b.language === "ts" && b.info !== "");
  return programs.map((p, i) => ({
    chapter: c.name,
    file: p.info,
    text: p.text,
    shown: c.blocks.filter(
      b => b.language === "verilog" && b.line > p.line && b.line < (programs[i + 1]?.line ?? Infinity),
    ),
  }));
}

/** The chapter with other texts in some of its blocks. */
export function withTexts(c: Chapter, texts: ReadonlyMap<Block, string>): string {
  const lines = c.text.split("\n");
  for (const [b, text] of [...texts].sort(([a], [z]) => z.line - a.line))
    lines.splice(b.line, b.lines, ...text.split("\n"));
  return lines.join("\n");
}
