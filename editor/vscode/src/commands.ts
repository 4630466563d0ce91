/** The command lines that the extension runs, and where what they write stands. */

/** The settings of a file, as its first comment may give them: `// mnemo: --module Fifo --set width=8`. */
export function settingsOf(text: string): readonly string[] {
  const line = /^\s*\/\/ mnemo: (.*)$/m.exec(text)?.[1] ?? "";
  return line.split(/\s+/).filter(word => word !== "");
}

/** Where the extension lets the Verilog of a file be written: out of the way of the project's own. */
export const folderOf = (source: string): string =>
  `out/vscode/${source.replace(/[^\w.-]+/g, "-").replace(/\.ts$/, "")}`;

/** `mnemo emit`. @param source from the project's folder @param text of the file */
export const emitArguments = (source: string, text: string): readonly string[] => [
  "emit",
  source,
  ...settingsOf(text),
  "--out",
  folderOf(source),
];

/** `mnemo draw`: the picture stands beside the Verilog. */
export const drawArguments = (source: string, text: string): readonly string[] => [
  "draw",
  source,
  ...settingsOf(text),
  "--out",
  `${folderOf(source)}/schematic.svg`,
];

/** Whether a text has a module in it, and is worth to be elaborated. */
export const hasModule = (text: string): boolean =>
  /\bmodule\(/.test(text) && /from "mnemosyne"|hdl-dsl\/index/.test(text);
