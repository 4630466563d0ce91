import type { FigureHook } from "../../shared/command-line/index.ts";
import type { Definition, Plot, Series } from "../../shared/evaluation/index.ts";
import { makeSettings } from "../config/index.ts";
import { type FaultTimes, lineGbps, measureFaults, type Way, ways } from "../rig/index.ts";
import { atSnic } from "./at-snic.ts";

const mean = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0) / all.length;
const us = (ns: number): number => ns / 1000;

/** ns that a page of 4 KB takes on the line: three frames of 24 beats, 512 bits each. */
const pageNs = (3 * 24 * 512) / lineGbps;

/** What a fault waits beside a page read alone, by arithmetic of the line: in one queue, and in two. */
const arithmetic = {
  first: {
    "one queue": (window: number) => ((window - 1) / 2) * pageNs,
    "fault first": () => 0,
    "two queues": () => 0,
  },
  second: {
    "one queue": (window: number) => (window - 1) * pageNs,
    "fault first": (window: number) => (window - 1) * pageNs,
    "two queues": () => pageNs / 3,
  },
} as const;

type Fault = keyof typeof arithmetic;
const titles: Readonly<Record<Fault, string>> = {
  first: "The faulted page of a window: mean wait",
  second: "A page that the window lacks, asked for when the first has come: worst wait",
};

function plotOf(fault: Fault, windows: readonly number[], found: readonly FaultTimes[]): Plot {
  const of = (way: Way): Series => ({
    name: `${way}${fault === "second" ? ", missed" : ""}`,
    standing: "predicted",
    points: windows.map((x, i) => {
      const times = found[i * ways.length + ways.indexOf(way)] as FaultTimes,
        waits = times[fault].map(ns => ns - times.alone);
      return { x, y: us(fault === "first" ? mean(waits) : Math.max(...waits)) };
    }),
  });
  return {
    title: titles[fault],
    kind: "lines",
    x: { label: "number of pages in a window", scale: "log2" },
    y: { label: "wait", unit: "us", scale: "linear" },
    series: ways.map(of),
  };
}

/** The wait of a page fault with one queue and with two. */
const wait: Definition = {
  number: "wait",
  title: "What a page fault waits",
  paper: [
    [
      "3.2.1",
      "With one queue the faulted page may stand behind prefetched pages; with windows of 8 that may cost tens of microseconds.",
    ],
    [
      "4.1",
      "Two queue pairs for each processor: the faulted page first on one, prefetches on the other, so that a fault waits for no prefetch.",
    ],
  ],
  given: [
    {
      what: "line",
      value: `${lineGbps} Gbit/s from the node`,
      source: "section 1: far memory at 10 Gbps with one thread",
    },
  ],
  notes: [
    "In hardware: two queues in and out beside the memory node, strict priority packet by packet with a bound on patience. The paper has two queue pairs, and no priority in a device: that is ours.",
    "In traffic: faults with their windows, by CLib on two UDP ports. Not modelled: interrupts, allocation of pages, kernel time, and so the paper's 80 % and 39 % of DRAM's rate.",
    "The wait is beside a page that is read alone on an idle line.",
  ],
  measure: async ({ seed, quick }) => {
    const windows = quick ? [8] : [2, 4, 8, 16],
      found: FaultTimes[] = [];
    for (const window of windows)
      for (const way of ways)
        found.push(
          await measureFaults(way, { seed, window, rounds: quick ? window : 2 * window, settings: makeSettings() }),
        );
    const row = (window: number, way: Way): string[] => [
      String(window),
      way,
      us(arithmetic.first[way](window)).toFixed(2),
      us(arithmetic.second[way](window)).toFixed(2),
    ];
    return {
      plots: [plotOf("first", windows, found), plotOf("second", windows, found)],
      table: {
        columns: ["window", "queues", "faulted page, by arithmetic, us", "missed page, by arithmetic, us"],
        rows: windows.flatMap(w => ways.map(way => row(w, way))),
      },
      claims: [
        [
          "two queues: a fault waits for at most a packet",
          { kind: "within", series: "two queues", from: 2, to: 16, least: 0, most: us(pageNs / 3) },
        ],
        [
          "one queue, window of 8: the mean is that of the line's arithmetic within a page",
          {
            kind: "within",
            series: "one queue",
            from: 8,
            to: 8,
            least: us(arithmetic.first["one queue"](8) - pageNs),
            most: us(arithmetic.first["one queue"](8) + pageNs),
          },
        ],
        [
          "a missed page, one queue, window of 8: it waits for the window, within a page",
          {
            kind: "within",
            series: "one queue, missed",
            from: 8,
            to: 8,
            least: us(pageNs),
            most: us(arithmetic.second["one queue"](8) + pageNs),
          },
        ],
        [
          "a missed page, fault first in one queue, window of 8: as the arithmetic within a page",
          {
            kind: "within",
            series: "fault first, missed",
            from: 8,
            to: 8,
            least: us(arithmetic.second["fault first"](8) - pageNs),
            most: us(arithmetic.second["fault first"](8) + pageNs),
          },
        ],
        [
          "a missed page, two queues: it waits for at most the packet under way",
          { kind: "within", series: "two queues, missed", from: 2, to: 16, least: 0, most: us(pageNs / 3) },
        ],
      ],
    };
  },
};

export const fastswapFigures: readonly Definition[] = [wait, atSnic];

export const figureHook: FigureHook = {
  definitions: fastswapFigures,
  besides: [],
  title: "Fastswap's faults before prefetches",
  introduction:
    "The memory node between two lanes, clock by clock at 512 bits and 250 MHz, and a machine that pages over a line to it (Amaro et al., EuroSys 2020).",
};
