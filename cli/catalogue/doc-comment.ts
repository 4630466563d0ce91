/**
 * The text of an export's doc comment in TypeScript: the block that ends right before it.
 * Parameters are for who calls it, and not for a page.
 * @returns undefined when there is no such export, or no comment before it
 */
export function docComment(source: string, name: string): string | undefined {
  const found = new RegExp(`(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/)\\nexport (?:const|function|class) ${name}\\b`).exec(
    source,
  );
  if (found?.[1] === undefined) return undefined;
  return found[1]
    .replace(/^\/\*\*\s*|\s*\*\/$/g, "")
    .split("\n")
    .map(l => l.replace(/^\s*\* ?/, "").trimEnd())
    .filter(l => !l.startsWith("@param "))
    .join("\n")
    .trim();
}
