/** A report of made-up figures, for tests of the page: nothing is simulated. */
import { type Axis, type Plot, type Report, reportSchema } from "../../../designs/shared/evaluation/index.ts";

const y: Axis = { label: "latency at the ports", unit: "ns", scale: "linear" };
/** A plot of some curves at the same places. */
export const lines = (
  title: string,
  x: Axis,
  xs: readonly number[],
  ...curves: readonly (readonly number[])[]
): Plot => ({
  title,
  kind: "lines",
  x,
  y,
  series: curves.map((ys, i) => ({
    name: `curve ${i}`,
    standing: "predicted",
    points: xs.map((v, k) => ({ x: v, y: ys[k] ?? 0 })),
  })),
});
const powers = Array.from({ length: 11 }, (_, i) => 4 ** i);
const plots: Plot[] = [
  {
    ...lines(
      "powers of two, two curves in one place, more than there are colours",
      { label: "number of entries", scale: "log2" },
      powers,
      powers.map(() => 496),
      powers.map(() => 280),
      powers.map(() => 496.5),
      ...Array.from({ length: 6 }, (_, i) => powers.map((_p, k) => 300 + 20 * i + k)),
    ),
    references: [{ at: 494, says: "the paper: 494 ns" }],
  },
  lines("one point", { label: "number of clients", scale: "linear" }, [1], [100_000]),
  lines("nothing but zero", { label: "share of all", unit: "%", scale: "linear" }, [10, 20, 100], [0, 0, 0]),
  lines(
    "its own ticks",
    { label: "rows that match", unit: "%", scale: "log2", ticks: [1, 2, 5, 10, 25, 50, 100] },
    [1, 2, 5, 10, 25, 50, 100],
    [1, 2, 3, 4, 5, 6, 0.01],
  ),
  {
    title: "bars",
    kind: "bars",
    x: { label: "access", scale: "category" },
    y: { ...y, label: "latency" },
    series: ["hit", "miss", "fault"].map((name, i) => ({
      name,
      standing: i === 0 ? "calibrated" : "predicted",
      points: ["read", "write"].map(x => ({ x, y: 2752.5 + i })),
    })),
  },
  {
    title: "stacked",
    kind: "stacked",
    x: { label: "TLB and size", scale: "category" },
    y,
    series: ["wire", "memory"].map(name => ({
      name,
      standing: "predicted",
      points: ["hit", "miss"].flatMap(s =>
        ["4 B", "64 B", "256 B", "1 KB"].map(size => ({ x: `${s} ${size}`, y: 300 })),
      ),
    })),
  },
  {
    title: "steps",
    kind: "steps",
    x: { label: "latency", unit: "ns", scale: "linear" },
    y: { label: "operations", unit: "share, 0 to 1", scale: "linear" },
    series: [
      {
        name: "read",
        standing: "calibrated",
        points: Array.from({ length: 100 }, (_, i) => ({ x: 2752 + 4 * i, y: (i + 1) / 100 })),
      },
    ],
  },
];
/** A report with every kind of plot, and with what is awkward to draw. */
export const madeUp: Report = reportSchema.parse({
  seed: 1,
  extent: "usual",
  besides: [
    { what: "A table", section: "4.7.3", standing: "predicted", quote: "the rest & others", here: "By synthesis." },
    { what: "Cost", section: "4.7.3", standing: "not modelled", quote: "1.1-1.5×", here: "A simulation has none." },
    { what: "A drawing", section: "4.3", quote: "an overview", here: "Nothing is measured." },
  ],
  figures: [
    {
      number: "4.4",
      title: "Everything <&>",
      standing: "calibrated",
      paper: [{ section: "4.7.1", quote: 'it "scales"' }],
      given: [{ what: "memory", value: "50 cycles", source: "assumed" }],
      sizes: [{ what: "entries", paper: "100,000", here: "4,096" }],
      plots,
      verdicts: [],
      notes: ["a note"],
    },
    {
      number: "4.21",
      title: "Energy",
      standing: "not modelled",
      paper: [{ section: "4.7.3", quote: "We measure" }],
      given: [],
      sizes: [],
      plots: [],
      verdicts: [],
      notes: ["no Watt"],
    },
  ],
} satisfies Report);
