/** A serial line as the standard tells it: characters to levels. */

/** How characters are sent; `divisor` + 1 cycles a bit. */
export interface LineFormat {
  readonly dataBits: number;
  readonly divisor: number;
  readonly parity: "none" | "space" | "mark" | "even" | "odd";
  readonly twoStops: boolean;
}

const ones = (v: number): number => v.toString(2).replaceAll("0", "").length;
/** The parity bit of a character, none where there is none. */
export function parityBit(data: number, parity: LineFormat["parity"]): readonly number[] {
  switch (parity) {
    case "none":
      return [];
    case "space":
      return [0];
    case "mark":
      return [1];
    case "even":
      return [ones(data) % 2];
    case "odd":
      return [1 - (ones(data) % 2)];
  }
}

/** The bits of a character on the line, start and stops among them. */
export const lineBits = (data: number, f: LineFormat): readonly number[] => [
  0,
  ...Array.from({ length: f.dataBits }, (_, i) => (data >> i) & 1),
  ...parityBit(data, f.parity),
  ...(f.twoStops ? [1, 1] : [1]),
];
/** Every format with the parities of all kinds. */
export const parities = ["none", "space", "mark", "even", "odd"] as const;
