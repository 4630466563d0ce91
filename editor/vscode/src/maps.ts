/** Between a line of TypeScript and the lines of Verilog that it made, by the source maps beside the Verilog. */

/** A place in a file; lines from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
}
/** A source map, revision 3, as far as it is used here. */
export interface RawMap {
  readonly sourceRoot: string;
  readonly sources: readonly string[];
  readonly mappings: string;
}
/** A line of Verilog with where it comes from; `source` is from the project's folder. */
export interface Link {
  readonly verilog: number;
  readonly source: string;
  readonly line: number;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The numbers of a segment: base 64, 5 bits a digit, the sign in the lowest bit. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0,
    shift = 0;
  for (const c of segment) {
    const digit = DIGITS.indexOf(c);
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if (digit >= 32) continue;
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    value = 0;
    shift = 0;
  }
  return numbers;
}

/** Every link of a map, each pair of lines once. */
export function linksOf(map: RawMap): readonly Link[] {
  const links: Link[] = [],
    seen = new Set<string>();
  let source = 0,
    line = 0;
  map.mappings.split(";").forEach((segments, i) => {
    for (const segment of segments.split(",")) {
      const [, bySource, byLine] = numbersOf(segment);
      if (bySource === undefined || byLine === undefined) continue;
      source += bySource;
      line += byLine;
      const key = `${i}:${source}:${line}`;
      if (seen.has(key)) continue;
      seen.add(key);
      links.push({ verilog: i + 1, source: map.sources[source] ?? "", line: line + 1 });
    }
  });
  return links;
}

/** The source of a line of Verilog; one without an origin of its own belongs to the one before it. */
export function sourceOf(map: RawMap, verilogLine: number): readonly Place[] {
  const links = linksOf(map),
    at = Math.max(0, ...links.filter(l => l.verilog <= verilogLine).map(l => l.verilog));
  return links.filter(l => l.verilog === at).map(l => ({ file: l.source, line: l.line }));
}

/** A Verilog file and its map. */
export interface Mapped {
  readonly file: string;
  readonly map: RawMap;
}

/**
 * The lines of Verilog that a line of TypeScript made; where it made none, those of the nearest line above that did.
 * @param source from the project's folder
 */
export function verilogOf(all: readonly Mapped[], source: string, line: number): readonly Place[] {
  const links = all.flatMap(m =>
    linksOf(m.map)
      .filter(l => l.source === source && l.line <= line)
      .map(l => ({ ...l, file: m.file })),
  );
  const nearest = Math.max(0, ...links.map(l => l.line));
  return links.filter(l => l.line === nearest).map(l => ({ file: l.file, line: l.verilog }));
}
