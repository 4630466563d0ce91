import type { Definition, Result } from "../../../shared/evaluation/index.ts";
import { engineRun, nsPerCycle } from "../measure.ts";

/** Nanoseconds of the paper's SmartNIC: a request's way, a read, the software of a read, a reply's way. */
const paperNs = { request: 4900, read: 3800, software: 1500, reply: 4900 } as const;
const measuredByPaper = [
  { nodes: 1, us: 16.1 },
  { nodes: 2, us: 20.2 },
  { nodes: 16, us: 94.7 },
] as const;
const tolerance = 0.07;
const cycles = (ns: number): number => Math.round(ns / nsPerCycle);

async function measure({ seed }: { readonly seed: number }): Promise<Result> {
  const points: { readonly x: number; readonly y: number }[] = [];
  for (const { nodes } of measuredByPaper) {
    const { each } = await engineRun(
      "list",
      {},
      cycles(paperNs.read + paperNs.software),
      [{ program: 0, words: [BigInt(nodes)] }],
      seed,
    );
    const ns = paperNs.request + paperNs.reply + (each[0] ?? 0) * nsPerCycle;
    points.push({ x: nodes, y: ns / 1000 });
  }
  const series = "engine with the paper's constants";
  return {
    plots: [
      {
        title: "Latency with the paper's constants put in",
        kind: "lines",
        x: { label: "number of nodes", scale: "log2" },
        y: { label: "latency", unit: "µs", scale: "linear" },
        series: [{ name: series, standing: "calibrated", points }],
        references: measuredByPaper.map(m => ({ at: m.us, says: `paper, ${m.nodes}` })),
      },
    ],
    claims: measuredByPaper.map(({ nodes, us }) => [
      `${nodes}: within ${100 * tolerance} % of the paper's ${us} µs.`,
      {
        kind: "within",
        series,
        from: nodes,
        to: nodes,
        least: us * (1 - tolerance),
        most: us * (1 + tolerance),
      },
    ]),
    table: {
      columns: ["nodes", "paper, µs", "engine, µs", "difference"],
      rows: measuredByPaper.map(({ nodes, us }, i) => {
        const y = points[i]?.y ?? Number.NaN;
        return [String(nodes), String(us), y.toFixed(2), `${(100 * (y / us - 1)).toFixed(1)} %`];
      }),
    },
  };
}

/** The SmartNIC's latencies, of its constants. */
export const calibratedFigure: Definition = {
  number: "3.8",
  title: "A SmartNIC's latency by the number of nodes",
  paper: [["3.6", "16.1 µs for one node, 20.2 for two, 94.7 for sixteen."]],
  given: [
    { what: "request, reply", value: "4.9 µs each", source: "paper, section 3.6" },
    { what: "a read, its software", value: "3.8 µs, 1.5 µs", source: "paper, section 3.6" },
  ],
  notes: ["A calibration: the constants are the paper's, and the engine adds its own cycles. It predicts nothing."],
  measure,
};
