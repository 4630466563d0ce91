/** A drawing's units: at 560 wide it fills half a page one to one, and a phone at six tenths. */
export const width = 560,
  height = 330;
/**
 * Size of a drawing's text, in its units: on a page, and on a phone, where the whole drawing shrinks to six tenths.
 * `value` stands on a bar. The placement leaves room for the larger one.
 */
export const fonts = { page: { text: 13, value: 12 }, phone: { text: 17, value: 14 } } as const;
export type Place = keyof typeof fonts;

/**
 * Width of a character by the size of its font, no less than that of the widest usual sans serif's figures
 * and small letters.
 */
const perCharacter = 0.64;
/** Room that a text needs, in the drawing's units, in the larger of its sizes. */
export function textWidth(text: string, kind: "text" | "value" = "text"): number {
  return text.length * perCharacter * fonts.phone[kind];
}

/**
 * Where the axes of a drawing lie. `left`: of the widest label of the vertical axis; `lines`: of text under each place
 * of the horizontal one.
 */
export interface Area {
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
}
export function areaFor(labels: readonly string[], lines: number): Area {
  return { x0: 38 + Math.max(...labels.map(l => textWidth(l))), x1: width - 28, y0: height - 38 - 19 * lines, y1: 18 };
}
/**
 * The baseline of the first line of text under the horizontal axis, below it; of the next ones, below the one before.
 */
export const underAxis = { first: 22, next: 19 } as const;
