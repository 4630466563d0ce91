import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file that can be opened; `show`: the module whose Verilog is shown, as an expression. */
export interface Example {
  readonly title: string;
  readonly file: string;
  readonly show: string;
}
export interface Examples {
  readonly examples: readonly Example[];
  /** All texts, for they import one another. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The programs of the manual: `ts` blocks with a file name, and the call in the heading of the Verilog below. */
export function manualExamples(root: string): Examples {
  const folder = join(root, "docs/manual"),
    examples: Example[] = [],
    texts: Record<string, string> = {};
  for (const chapter of readdirSync(folder)
    .filter(f => f.endsWith(".md"))
    .sort()) {
    const number = Number(chapter.slice(0, 2));
    for (const [, language = "", info = "", text = ""] of readFileSync(join(folder, chapter), "utf8").matchAll(
      /^```(ts|verilog) (.+)\n([\s\S]*?)^```$/gm,
    )) {
      const last = examples.at(-1);
      if (language === "verilog") {
        if (last?.show === "") examples[examples.length - 1] = { ...last, show: info };
        continue;
      }
      // A later block of the same name is another stage of that file.
      const file = info in texts ? info.replace(".", `-${number}.`) : info;
      texts[file] = text;
      examples.push({ title: `${number}. ${file}`, file, show: "" });
    }
  }
  return { examples, texts };
}
