/**
 * A table in plain text: columns as wide as their widest cell, two spaces between, a rule under the heading.
 * @param align one letter per column, `l` or `r`
 */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], align: string): string {
  const widths = heading.map((h, i) => Math.max(h.length, ...rows.map(r => (r[i] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    widths
      .map((w, i) => {
        const cell = cells[i] ?? "";
        return align[i] === "r" ? cell.padStart(w) : cell.padEnd(w);
      })
      .join("  ")
      .trimEnd();
  return [line(heading), widths.map(w => "-".repeat(w)).join("  "), ...rows.map(line)].join("\n");
}
