/** `<!-- file: path -->`, then a fenced block: the block is that file, word for word. */
const excerpt = /(<!-- file: (\S+) -->\n```\w*\n)[\s\S]*?(?<=\n)(```\n)/g;

/**
 * A page with its excerpts brought up to date.
 * @param page Markdown @param textOf gives the text of a named file
 */
export function withExcerpts(page: string, textOf: (path: string) => string): string {
  return page.replace(
    excerpt,
    (_all, opening: string, path: string, closing: string) => `${opening}${textOf(path).trimEnd()}\n${closing}`,
  );
}
