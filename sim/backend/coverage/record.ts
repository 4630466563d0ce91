/** What the models of a process reached, added to a file as it happens: a process that is ended loses nothing. */
import { SimulationError } from "../../errors.ts";
import { addToOwnFile, environment, fromHere } from "../../host.ts";
import type { Point } from "./point.ts";

/** A point and the bits of the state that remember it: `lo` counts from the first bit of place `place`. */
export interface Placed {
  readonly point: Point;
  readonly place: number;
  readonly lo: number;
}
/** A line of the file: a program with its points, or what one of its models reached for the first time. */
export type Line =
  | { readonly program: number; readonly points: readonly WrittenPoint[] }
  | { readonly of: number; readonly words: readonly (readonly [place: number, lane: number, bits: number])[] }
  | { readonly of: number; readonly counts: readonly (readonly [place: number, count: number])[] };
/** `file`: from the folder of the process. */
export interface WrittenPoint {
  readonly kind: Point["kind"];
  readonly module: string;
  readonly what: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly lines: readonly number[];
  readonly width: number;
  /** Hexadecimal. */
  readonly never?: string | undefined;
  readonly place: number;
  readonly lo: number;
}

let programs = 0;

/** Where coverage is written, by `MNEMO_COVERAGE`; undefined: it is not asked for. */
export const coverageFolder = (): string | undefined => environment("MNEMO_COVERAGE") || undefined;

function append(folder: string, line: Line): void {
  try {
    addToOwnFile(folder, `${JSON.stringify(line)}\n`);
  } catch (e) {
    throw new SimulationError(
      `MNEMO_COVERAGE is "${folder}", where nothing can be written (${String(e)}); give a folder of yours`,
    );
  }
}

/** Takes what the models of one program reached. */
export class ProgramCoverage {
  readonly #folder: string;
  readonly #id = programs++;
  readonly #places: readonly { readonly lane: number; readonly lanes: number; readonly counts: boolean }[];
  readonly #seen = new Map<number, number>();

  /** @param lanes the first 32-bit word of each place in the model's memory, and how many it has */
  constructor(
    folder: string,
    points: readonly Placed[],
    lanes: readonly { readonly lane: number; readonly lanes: number }[],
  ) {
    this.#folder = folder;
    const counting = new Set(points.filter(p => p.point.kind === "cover").map(p => p.place));
    this.#places = lanes.map((l, place) => ({ ...l, counts: counting.has(place) }));
    append(folder, { program: this.#id, points: points.map(written) });
  }

  /** The memory of a model that has ended. */
  take(words: Uint32Array): void {
    const fresh: [number, number, number][] = [],
      counts: [number, number][] = [];
    this.#places.forEach(({ lane, lanes, counts: isCount }, place) => {
      for (let i = 0; i < lanes; i++) {
        const bits = words[lane + i] ?? 0,
          known = this.#seen.get(lane + i) ?? 0;
        if (isCount) {
          if (bits !== 0) counts.push([place, bits]);
        } else if ((bits & ~known) !== 0) {
          fresh.push([place, i, (bits & ~known) >>> 0]);
          this.#seen.set(lane + i, bits | known);
        }
      }
    });
    if (fresh.length > 0) append(this.#folder, { of: this.#id, words: fresh });
    if (counts.length > 0) append(this.#folder, { of: this.#id, counts });
  }
}

function written({ point: p, place, lo }: Placed): WrittenPoint {
  const { kind, module, what, lines, width, at } = p,
    never = p.never?.toString(16);
  const file = at === undefined ? "" : fromHere(at.file);
  return { kind, module, what, file, line: at?.line ?? 0, column: at?.column ?? 0, lines, width, never, place, lo };
}
