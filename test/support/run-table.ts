/** The first table of a run's output, a record by column title for each row. */
export function runTable(out: string): Readonly<Record<string, string>>[] {
  const lines = out.split("\n"),
    rule = lines.findIndex(l => /^-+(  -+)+$/.test(l)),
    // Columns stand where the rule has its dashes.
    columns = [...(lines[rule] ?? "").matchAll(/-+/g)].map(c => [c.index, c.index + c[0].length] as const);
  const cells = (line: string): string[] => columns.map(([from, to]) => line.slice(from, to).trim());
  const titles = cells(lines[rule - 1] ?? ""),
    after = lines.slice(rule + 1),
    end = after.findIndex(l => l === "" || l.startsWith("..."));
  return after.slice(0, end < 0 ? undefined : end).map(line => {
    const row = cells(line);
    return Object.fromEntries(titles.map((t, i) => [t, row[i] ?? ""]));
  });
}
/** A number as a table shows it; undefined for an empty cell. */
export const tableNumber = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text.replaceAll(",", ""));
