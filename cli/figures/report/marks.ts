import { escape } from "./format.ts";

/** Number of series that colour alone distinguishes. */
export const colours = 8;
/** A place in the drawing, to a tenth of its unit. */
export const n = (v: number): string => String(Number(v.toFixed(1)));

/**
 * Marks of the series in their order: colours alone do not tell them apart. Every two marks in a row have room for each
 * other: a small full one lies inside a larger hollow one. So both are seen where they meet.
 */
const marks: readonly ((x: number, y: number) => string)[] = [
  (x, y) => `<circle class="mark FULL" cx="${n(x)}" cy="${n(y)}" r="3.6">`,
  (x, y) => `<rect class="line FRAME" x="${n(x - 5.5)}" y="${n(y - 5.5)}" width="11" height="11">`,
  (x, y) => `<path class="line FRAME" d="M${n(x)} ${n(y - 8)}l8 13h-16z">`,
  (x, y) => `<path class="mark FULL" d="M${n(x)} ${n(y - 4.5)}l4.5 4.5l-4.5 4.5l-4.5 -4.5z">`,
  (x, y) => `<path class="line FRAME" d="M${n(x - 4)} ${n(y - 4)}l8 8m-8 0l8 -8">`,
];
/** Dashes: a curve that lies under another one shows through. */
const dashes = ["", "9 6", "2 5", "12 4 2 4", "5 3"];

export const colour = (i: number): string => `c${i % colours}`;
export const dash = (i: number): string => {
  const d = dashes[i % dashes.length] ?? "";
  return d === "" ? "" : ` stroke-dasharray="${d}"`;
};

/** The mark of the i-th series at a place. @param title text for a pointer that rests on it */
export function mark(i: number, x: number, y: number, title = ""): string {
  const open = (marks[i % marks.length]?.(x, y) ?? "")
    .replace("FULL", colour(i))
    .replace("FRAME", `frame ${colour(i)}`);
  return title === ""
    ? open.replace(/>$/, "/>")
    : `${open}<title>${escape(title)}</title></${open.slice(1, open.indexOf(" "))}>`;
}
