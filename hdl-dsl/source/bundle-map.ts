/** Places in a bundled script: the decoded source map (revision 3) of the script, columns included. */

/** What is used of a source map. */
export interface BundleMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
  readonly mappings: string;
}
/** Line and column count from 1. */
export interface Mapped {
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digits = new Map(Array.from(base64, (c, i) => [c.charCodeAt(0), i]));
/** Numbers of a mapped line: column, source, source line and source column, four by four. */
type Line = readonly number[];

function decode(mappings: string): readonly Line[] {
  const lines: number[][] = [[]];
  let column = 0,
    segment: number[] = [],
    value = 0,
    shift = 0;
  const at = [0, 0, 0];
  const take = (): void => {
    if (segment.length > 0) {
      column += segment[0] ?? 0;
      for (let i = 0; i < 3; i++) at[i] = (at[i] ?? 0) + (segment[i + 1] ?? 0);
      if (segment.length > 1) lines.at(-1)?.push(column, ...at);
    }
    segment = [];
  };
  for (let i = 0; i < mappings.length; i++) {
    const code = mappings.charCodeAt(i),
      digit = digits.get(code);
    if (digit !== undefined) {
      value |= (digit & 31) << shift;
      shift += 5;
      if (digit < 32) {
        segment.push((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
        value = shift = 0;
      }
      continue;
    }
    take();
    // A semicolon begins the next line.
    if (code === 59) {
      lines.push([]);
      column = 0;
    }
  }
  take();
  return lines;
}

/** Finds where a place of the script comes from. The map is decoded at the first question. */
export function placesOf(map: BundleMap): (line: number, column: number) => Mapped | undefined {
  let lines: readonly Line[] | undefined;
  return (line, column) => {
    const all = (lines ??= decode(map.mappings))[line - 1] ?? [];
    let low = 0,
      high = all.length / 4;
    // The last segment that does not begin after the column.
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[4 * middle] ?? 0) <= column - 1) low = middle + 1;
      else high = middle;
    }
    const found = 4 * (low - 1);
    if (found < 0) return undefined;
    const [, source = 0, sourceLine = 0, sourceColumn = 0] = all.slice(found, found + 4);
    return { source: map.sources[source] ?? "?", line: sourceLine + 1, column: sourceColumn + 1 };
  };
}
