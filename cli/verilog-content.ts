import type { EmittedFile } from "../hdl-dsl/index.ts";

/**
 * A tool's view of the files: their names and text without the TypeScript positions at the ends of lines. So a line
 * added above a statement does not make a new design of it. The lines stay what they are.
 */
export const contentOf = (files: readonly EmittedFile[]): string[] =>
  files.flatMap(f => [f.name, f.text.replace(/ *\/\/ [\w.-]+\.ts:\d+$/gm, "")]);
