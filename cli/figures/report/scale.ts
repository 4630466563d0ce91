/** A place on an axis that is marked. `label`: empty where there is a mark only. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}
/** A way from values to places along an axis, with its ticks. */
export interface Scale {
  readonly place: (v: number) => number;
  readonly ticks: readonly Tick[];
}

const units: readonly (readonly [number, string])[] = [
  [2 ** 20, "M"],
  [2 ** 10, "K"],
];
/** 1024 as 1K. */
function binary(n: number): string {
  const unit = units.find(([size]) => n >= size && n % size === 0);
  return unit === undefined ? String(n) : `${n / unit[0]}${unit[1]}`;
}

/** Round steps between two values: 1, 2 or 5 times a power of ten, about `wanted` of them. */
function step(span: number, wanted: number): number {
  const rough = span / wanted,
    power = 10 ** Math.floor(Math.log10(rough)),
    m = rough / power;
  return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

/** From `low` to `high` in places `from` to `to`; both ends are moved out to round numbers. */
export function linear(low: number, high: number, from: number, to: number, wanted = 5): Scale {
  const s = step(high - low || Math.abs(high) || 1, wanted),
    first = Math.floor(low / s + 1e-9) * s,
    last = Math.max(first + s, Math.ceil(high / s - 1e-9) * s);
  const place = (v: number): number => from + ((v - first) / (last - first)) * (to - from),
    digits = Math.max(0, -Math.floor(Math.log10(s) + 1e-9));
  const count = Math.round((last - first) / s);
  return {
    place,
    ticks: Array.from({ length: count + 1 }, (_, i) => ({
      at: place(first + i * s),
      label: (first + i * s).toFixed(digits),
    })),
  };
}

/**
 * Steps of a whole number of intervals, `wanted` of them or fewer. The last one is met where that takes less than
 * twice as many.
 */
function interval(span: number, wanted: number): number {
  const least = Math.max(1, Math.ceil(span / wanted));
  for (let every = least; every < 2 * least; every++) if (span % every === 0) return every;
  return least;
}

/** Powers of two: a tick at each, a number at as many as are wanted. */
export function log2(low: number, high: number, from: number, to: number, wanted = 8): Scale {
  const first = Math.floor(Math.log2(low)),
    last = Math.max(first + 1, Math.ceil(Math.log2(high) - 1e-3)),
    every = interval(last - first, wanted);
  const place = (v: number): number => from + ((Math.log2(v) - first) / (last - first)) * (to - from);
  return {
    place,
    ticks: Array.from({ length: last - first + 1 }, (_, i) => ({
      at: place(2 ** (first + i)),
      label: i % every === 0 ? binary(2 ** (first + i)) : "",
    })),
  };
}

/** Logarithmic or linear between the first and the last of some ticks. */
export function between(values: readonly number[], logarithmic: boolean, from: number, to: number): Scale {
  const f = logarithmic ? Math.log2 : (v: number): number => v,
    first = f(values[0] ?? 1),
    last = f(values.at(-1) ?? 2);
  const place = (v: number): number => from + ((f(v) - first) / (last - first)) * (to - from);
  return { place, ticks: values.map(v => ({ at: place(v), label: String(v) })) };
}
