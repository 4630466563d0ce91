/** A table in a documentation page: written by a tool, never by hand. */
import { readFileSync } from "node:fs";
import { UsageError } from "../designs/shared/command-line/index.ts";

/**
 * The page's text with another one between its marks.
 * @param mark stands in both of them @throws UsageError when the page cannot be read or has no marks
 */
export function between(path: string, mark: string, inside: string): string {
  const begin = `<!-- ${mark}: begin -->`,
    end = `<!-- ${mark}: end -->`;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`--markdown ${path} cannot be read; give a file with the marks ${begin} and ${end}`);
  }
  const from = text.indexOf(begin),
    to = text.indexOf(end);
  if (from < 0 || to < from)
    throw new UsageError(`--markdown ${path} lacks the marks ${begin} and ${end}; write them where the table belongs`);
  return `${text.slice(0, from + begin.length)}\n\n${inside}\n\n${text.slice(to)}`;
}
