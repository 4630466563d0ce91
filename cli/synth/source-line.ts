import type { EmittedFile } from "../../hdl-dsl/index.ts";

/**
 * The TypeScript line of a place in the Verilog: the comment at the end of its line. A vector put together over several
 * lines has its use's line, which follows.
 * @param src `file.v:12`
 */
export function sourceLine(files: readonly EmittedFile[], src: string | undefined): string | undefined {
  const [file, line] = src?.split(":") ?? [];
  const lines =
    files
      .find(f => f.name === file)
      ?.text.split("\n")
      .slice(Number(line) - 1) ?? [];
  const wholeLine = /^\s*(?:input|output)\b/.test(lines[0] ?? "") ? lines.slice(0, 1) : lines.slice(0, 300);
  for (const text of wholeLine) {
    const position = /\/\/ ([\w.-]+\.ts:\d+)$/.exec(text)?.[1];
    if (position !== undefined) return position;
  }
  return undefined;
}
