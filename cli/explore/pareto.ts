/** Points that nothing beats. */

/** What is compared, and which way is better. */
export interface Goal {
  readonly figure: string;
  readonly better: "less" | "more";
  readonly label: string;
  readonly unit: string;
}
/** The figures of a point by which designs are chosen; a point may lack some. */
export const goals: readonly Goal[] = [
  { figure: "luts", better: "less", label: "area", unit: "LUT" },
  { figure: "levels", better: "less", label: "depth", unit: "LUT levels" },
  { figure: "latency", better: "less", label: "latency", unit: "cycles" },
  { figure: "throughput", better: "more", label: "throughput", unit: "Gbit/s" },
];

export type Figures = Readonly<Record<string, number>>;
/** The goals that all points have. */
export const sharedGoals = (points: readonly Figures[]): readonly Goal[] =>
  goals.filter(g => points.every(p => p[g.figure] !== undefined));

/** Below 0: `a` is better. */
const compared = (a: Figures, b: Figures, { figure, better }: Goal): number => {
  const d = (a[figure] ?? NaN) - (b[figure] ?? NaN);
  return better === "less" ? d : -d;
};
/** Whether `a` is no worse than `b` in anything, and better in something. */
export const beats = (a: Figures, b: Figures, by: readonly Goal[]): boolean =>
  by.every(g => compared(a, b, g) <= 0) && by.some(g => compared(a, b, g) < 0);

/** For each point whether it is on the front. */
export const front = (points: readonly Figures[], by: readonly Goal[]): readonly boolean[] =>
  points.map(p => !points.some(q => beats(q, p, by)));
