/** The text of a value change dump (IEEE 1364-2005, 18.2). Times are picoseconds. */

/** Identifier number `n`: printable characters, the shortest first. */
export function vcdId(n: number): string {
  let id = "";
  for (let rest = n + 1; rest > 0; rest = Math.floor((rest - 1) / 94))
    id += String.fromCharCode(33 + ((rest - 1) % 94));
  return id;
}

export const HEAD = "$version Mnemosyne $end\n$timescale 1ps $end\n";

/** A variable; a vector has its range, as viewers show it. */
export const variable = (kind: "wire" | "reg", width: number, id: string, name: string): string =>
  `$var ${kind} ${width} ${id} ${name}${width === 1 ? "" : ` [${width - 1}:0]`} $end\n`;

/** The bits of lanes from `at` on, without zeros in front: readers fill them in. */
export function change(words: Uint32Array, at: number, width: number, id: string): string {
  if (width === 1) return `${words[at] ?? 0}${id}\n`;
  let n = Math.ceil(width / 32) - 1;
  while (n > 0 && words[at + n] === 0) n--;
  let bits = (words[at + n] ?? 0).toString(2);
  while (n-- > 0) bits += (words[at + n] ?? 0).toString(2).padStart(32, "0");
  return `b${bits} ${id}\n`;
}

/** A constant, once. */
export const constantChange = (value: bigint, width: number, id: string): string =>
  width === 1 ? `${value}${id}\n` : `b${value.toString(2)} ${id}\n`;
