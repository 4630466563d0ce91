const sizes: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  kb: 2 ** 10,
  kib: 2 ** 10,
  k: 2 ** 10,
  mb: 2 ** 20,
  mib: 2 ** 20,
  m: 2 ** 20,
  gb: 2 ** 30,
  gib: 2 ** 30,
  g: 2 ** 30,
  tb: 2 ** 40,
  tib: 2 ** 40,
  t: 2 ** 40,
};
const times: Readonly<Record<string, number>> = { "": 1, ns: 1, us: 1e3, ms: 1e6 };

function parse(text: string, units: Readonly<Record<string, number>>): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*$/.exec(text),
    unit = units[match?.[2]?.toLowerCase() ?? "?"];
  return match && unit !== undefined ? Number(match[1]) * unit : undefined;
}
/** `4MB`, `2 GB`, `65536` in bytes (powers of 1024); undefined when it is no size. */
export function parseBytes(text: string): number | undefined {
  return parse(text, sizes);
}
/** `2us`, `500 ns`, `2000` in nanoseconds; undefined when it is no time. */
export function parseNanoseconds(text: string): number | undefined {
  return parse(text, times);
}
/** Bytes as a person writes them: `4 MB`. */
export function formatBytes(n: number): string {
  for (const [unit, size] of [
    ["TB", 2 ** 40],
    ["GB", 2 ** 30],
    ["MB", 2 ** 20],
    ["KB", 2 ** 10],
  ] as const)
    if (n >= size && n % size === 0) return `${n / size} ${unit}`;
  return `${n} bytes`;
}
