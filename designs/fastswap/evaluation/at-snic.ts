/** The same hook in SuperNIC: what a fault's page waits at a port of the sNIC that leads to the machine. */
import type { Definition, Series } from "../../shared/evaluation/index.ts";
import { lineGbps, measureSnicFaults, type SnicFaultTimes, type SnicWay, snicWays } from "../rig/index.ts";

const mean = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0) / all.length,
  us = (ns: number): number => ns / 1000;
/** ns of a frame of a page on the line: 23 beats of 512 bits. */
const frameNs = (23 * 512) / lineGbps,
  framesOfPage = 3,
  /** Windows that wait beside the fault. */
  windowsWaiting = 3,
  /** Frames that the port has taken or chosen, when another one comes. */
  chosen = 4;

const seriesOf = (way: SnicWay, windows: readonly number[], found: readonly SnicFaultTimes[]): Series => ({
  name: way,
  standing: "predicted",
  points: windows.map((x, i) => {
    const times = found[i * snicWays.length + snicWays.indexOf(way)] as SnicFaultTimes;
    return { x, y: us(mean(times.faults.map(ns => ns - times.alone))) };
  }),
});

/** What a fault's page waits at a sNIC, by who leaves first. */
export const atSnic: Definition = {
  number: "snic",
  title: "What a fault's page waits at a sNIC",
  paper: [
    [
      "4.1",
      "Faults and prefetches have queue pairs of their own. A device between the machine and its memory can keep them apart, too.",
    ],
  ],
  given: [
    { what: "line", value: `${lineGbps} Gbit/s from the sNIC to the machine`, source: "section 1" },
    { what: "beside it", value: `windows of ${windowsWaiting} other users, which came before`, source: "ours" },
  ],
  notes: [
    "In hardware: SuperNIC whole, with a task that changes nothing. Its ports have a list for each class of users; `urgentClass` of its setup names one that leaves first, with a bound of 64 packets that pass one.",
    "In traffic: pages of three frames, as a node behind the sNIC sends them. The fault's page comes when all windows wait.",
    "Turns between classes are SuperNIC's own, and what separate queue pairs give at best. That a class leaves first is ours.",
  ],
  measure: async ({ seed, quick }) => {
    const windows = quick ? [4] : [2, 4, 6],
      found: SnicFaultTimes[] = [];
    for (const window of windows)
      for (const way of snicWays) found.push(await measureSnicFaults(way, { seed, window, rounds: quick ? 2 : 8 }));
    // What has left before the fault's page comes is in nobody's front.
    const behindAll = (window: number): number =>
      us(
        windowsWaiting * window * framesOfPage * frameNs -
          (found[windows.indexOf(window) * snicWays.length]?.behind ?? NaN),
      );
    return {
      plots: [
        {
          title: "Mean wait of a fault's page beside one that comes alone",
          kind: "lines",
          x: { label: "number of pages in a window", scale: "log2" },
          y: { label: "wait", unit: "us", scale: "linear" },
          series: snicWays.map(way => seriesOf(way, windows, found)),
        },
      ],
      table: {
        columns: ["window", "pages in front, one class, by arithmetic, us"],
        rows: windows.map(w => [String(w), behindAll(w).toFixed(2)]),
      },
      claims: [
        [
          "one class: it waits for all windows, within four frames",
          {
            kind: "within",
            series: "one class",
            from: 4,
            to: 4,
            least: behindAll(4) - us(chosen * frameNs),
            most: behindAll(4) + us(chosen * frameNs),
          },
        ],
        [
          "in turns: each of its frames waits for one of each other class, and for what was chosen",
          {
            kind: "within",
            series: "a class in turns",
            from: 2,
            to: 6,
            least: us(framesOfPage * frameNs),
            most: us((framesOfPage * windowsWaiting + chosen) * frameNs),
          },
        ],
        [
          "an urgent class: it waits for what was chosen, however long the windows are",
          { kind: "within", series: "an urgent class", from: 2, to: 6, least: 0, most: us(chosen * frameNs) },
        ],
      ],
    };
  },
};
