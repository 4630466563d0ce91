/** Figure 5.20's timeline as plots, and what it is to show. */
import type { Definition, Plot, Result, Series } from "../../../../shared/evaluation/index.ts";
import { makeParameters } from "../../../config/index.ts";
import { type Load, taskNames, timeline, type TimelineEpoch } from "../../epochs/index.ts";

/** Units that the users bring, in the first epoch and later. */
export const before: Load = { first: 8, second: 4 },
  after: Load = { first: 8, second: 8 };
/** MONITOR_PERIODs, and the epoch in which the second instance is begun: behind as many as are in it, from 3 on. */
const periods = [
  { ms: 10, out: 503 },
  { ms: 5, out: 253 },
] as const;

const users = ["first", "second"] as const;
/** Epochs of a reprogramming of 5 ms. */
const reprogramEpochs = 250;
/** Units to a thousandth: fair shares are whole bytes. */
const rounded = (n: number): number => Math.round(n * 1000) / 1000;

/** Points where a value changes, and the ones before them, so that lines have corners. */
function corners(epochs: readonly TimelineEpoch[], of: (e: TimelineEpoch) => number): Series["points"] {
  const all = epochs.map(e => ({ x: e.epoch, y: rounded(of(e)) }));
  return all.filter((p, i) => {
    const [before, after] = [all[i - 1], all[i + 1]];
    return before === undefined || after === undefined || before.y !== p.y || after.y !== p.y;
  });
}

/** @param name of the run @param out the epoch in which the second instance is begun */
function timelineOf(epochs: readonly TimelineEpoch[], name: string, out: number): Result {
  const used = out + reprogramEpochs,
    last = epochs.length,
    x = { label: "epoch", unit: "20 µs", scale: "linear" } as const;
  const nameOf = (what: string): string => `${what}, ${name}`;
  const line = (what: string, of: (e: TimelineEpoch) => number): Series => ({
    name: nameOf(what),
    standing: "predicted",
    points: corners(epochs, of),
  });
  const plots: Plot[] = [
    {
      title: `Throughput of tasks, ${name}`,
      kind: "lines",
      x,
      y: { label: "rate", unit: "units in an epoch", scale: "linear" },
      series: users.flatMap(u =>
        taskNames.flatMap((task, t) =>
          epochs.some(e => (e.units[u][t] ?? 0) > 0) ? [line(`${task} of the ${u} user`, e => e.units[u][t] ?? 0)] : [],
        ),
      ),
    },
    {
      title: `Regions of NT1 and NT2, and all that are paid for, ${name}`,
      kind: "lines",
      x,
      y: { label: "number of regions", scale: "linear" },
      series: [
        line("in use", e => e.instances),
        line("being reprogrammed", e => e.reprogramming),
        line("paid for", e => e.occupied),
      ],
    },
  ];
  const is = (what: string, from: number, to: number, value: number, slack = 0.01) =>
    ({
      kind: "within",
      series: nameOf(what),
      from,
      to,
      least: value - slack,
      most: value + slack,
    }) as const;
  return {
    plots,
    claims: [
      [nameOf("fair shares hold both from epoch 4 on: NT2 6.67"), is("NT2 of the first user", 4, used - 1, 20 / 3)],
      [nameOf("NT2 3.33"), is("NT2 of the second user", 4, used - 1, 10 / 3)],
      [nameOf("NT4 1.67"), is("NT4 of the first user", 4, used - 1, 5 / 3)],
      [nameOf("NT4 6.67"), is("NT4 of the second user", 4, used - 1, 20 / 3)],
      [nameOf(`nothing is reprogrammed before epoch ${out}`), is("being reprogrammed", 1, out - 1, 0)],
      [nameOf(`a region is, from ${out} to ${used - 1}`), is("being reprogrammed", out, used - 1, 1)],
      [nameOf(`one instance is in use before epoch ${used}`), is("in use", 1, used - 1, 1)],
      [nameOf(`two are from ${used} on`), is("in use", used, last, 2)],
      [nameOf("two regions are paid for at first"), is("paid for", 1, out - 1, 2)],
      [nameOf("and three from the reprogramming on"), is("paid for", out, last, 3)],
      [nameOf("then each has all it asks for: NT2 8"), is("NT2 of the first user", used + 1, last, 8)],
      [nameOf("NT2 4"), is("NT2 of the second user", used + 1, last, 4)],
      [nameOf("NT4 2"), is("NT4 of the first user", used + 1, last, 2)],
      [nameOf("NT4 8"), is("NT4 of the second user", used + 1, last, 8)],
    ],
  };
}

/** The timeline with both periods. */
export async function timelines(): Promise<Result> {
  const { reprogramTime } = makeParameters(),
    plots: Plot[] = [],
    claims: Result["claims"][number][] = [];
  for (const { ms, out } of periods) {
    const epochs = await timeline({ monitorPeriod: ms * 1e6, reprogramTime, epochs: 800, before, after }),
      of = timelineOf(epochs, `MONITOR_PERIOD ${ms} ms`, out);
    plots.push(...of.plots);
    claims.push(...of.claims);
  }
  return { plots, claims };
}
/** The part of figure 5.20 that needs no device. */
export const timelineFigure: Definition = {
  number: "5.20",
  title: "Timeline",
  paper: [],
  measure: timelines,
};
