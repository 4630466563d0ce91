import type { FigureHook } from "../../shared/command-line/index.ts";
import type { Definition, Plot, Series } from "../../shared/evaluation/index.ts";
import { makeSettings } from "../config/index.ts";
import { measureMoves, type Move, type Moved, type Victim, victims, type Way, ways } from "../rig/index.ts";

const mean = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0) / all.length;
const kinds = ["read", "write"] as const;
type Kind = (typeof kinds)[number];

/** Goodput while a region moves, of that just before, in hundredths. */
const kept = (m: Move, kind: Kind): number => (100 * m.during[kind]) / m.before[kind];

function plotOf(kind: Kind, all: readonly Moved[]): Plot {
  const of = (way: Way): Series => ({
    name: `${way}, ${kind}s`,
    standing: "predicted",
    points: victims.map((victim: Victim) => ({
      x: victim,
      y: mean((all.find(r => r.way === way)?.moves ?? []).filter(m => m.victim === victim).map(m => kept(m, kind))),
    })),
  });
  return {
    title: `Goodput of ${kind}s while a region moves`,
    kind: "bars",
    x: { label: "region that moves", scale: "category" },
    y: { label: "of that before", unit: "%", scale: "linear" },
    series: ways.map(of),
  };
}

/** What a move asks of the stage: the reason for a choice of the region. */
function stagedPlot(all: readonly Moved[]): Plot {
  const moves = all.find(r => r.way === "staged")?.moves ?? [];
  return {
    title: "Writes that the stage takes in for a move",
    kind: "bars",
    x: { label: "writes are", scale: "category" },
    y: { label: "writes of 64 B", unit: "for a move", scale: "linear" },
    series: victims.map(victim => ({
      name: `${victim}, writes staged`,
      standing: "predicted",
      points: [{ x: "staged", y: mean(moves.filter(m => m.victim === victim).map(m => m.staged)) }],
    })),
  };
}

const goodput: Definition = {
  number: "goodput",
  title: "Goodput while a region moves",
  paper: [
    [
      "3.5",
      "In order to avoid the I/O blocking during the migration, we allow read requests while migration is in progress.",
    ],
    ["3.5", "All the new write requests to the migrating data stay in the staging queue until migration is done."],
    [
      "3.5",
      "Finding the least-active-MR-block as a victim is crucial factor to lower the memory pressure on the local mempool.",
    ],
  ],
  given: [
    { what: "writes", value: "25 of 100 operations", source: "section 6.3: SYS has 75 % of GET and 25 % of SET" },
    {
      what: "activity",
      value: "each region is used half as often as the one before",
      source: "ours: the paper has traces",
    },
  ],
  notes: [
    "In hardware: two memory nodes with tables of activity, clock by clock. In traffic: the stage, threads of one machine, the slow paths' software and the controller.",
    "Not modelled: disks, containers, the pool of pages at the host. The paper's loss of half the throughput comes of disks, and its measurement begins when the eviction is over: there is no number of it here.",
    "More than 100 %: writes to the region that moves end at the stage, and reads of them, sooner than at the node. The node has that work later.",
    "Direction as in the paper, no number of it: a prediction of the mechanism at the size of the simulation, regions of some pages.",
  ],
  measure: async ({ seed, quick, full }) => {
    const settings = makeSettings(),
      picks = quick ? 3 : full === true ? 24 : 6,
      all: Moved[] = [];
    for (const way of ways) all.push(await measureMoves(way, { seed, settings, picks }));
    const scan = Math.max(...all.map(r => r.scanCycles)),
      plots = kinds.map(kind => plotOf(kind, all));
    return {
      plots: [
        ...plots,
        stagedPlot(all),
        {
          title: "The least active region is found",
          kind: "lines",
          x: { label: "number of regions in the table", scale: "log2" },
          y: { label: "time", unit: "us at 250 MHz", scale: "linear" },
          series: [{ name: "scan", standing: "predicted", points: [{ x: 4096, y: (scan * 4) / 1000 }] }],
        },
      ],
      table: {
        columns: ["writes are", "victim", "rank of the region", "us", "reads/us", "writes/us"],
        rows: all.flatMap(r =>
          r.moves.map(m => [
            r.way,
            m.victim,
            String(m.rank),
            (m.ns / 1000).toFixed(1),
            m.during.read.toFixed(2),
            m.during.write.toFixed(2),
          ]),
        ),
      },
      claims: [
        [
          "the least active of 4,096 regions is found within 16 us",
          { kind: "within", series: "scan", from: 4096, to: 4096, least: 0, most: 16 },
        ],
        [
          "reads: staged writes keep 10 points and more above pause all",
          { kind: "above", series: "staged, reads", base: "pause all, reads", least: 10, most: 200 },
        ],
        [
          "writes: staged ones keep 10 points and more above held ones",
          { kind: "above", series: "staged, writes", base: "held, writes", least: 10, most: 400 },
        ],
        [
          "the stage takes in fewer writes for the least active region than for one at random",
          {
            kind: "above",
            series: "random, writes staged",
            base: "least active, writes staged",
            least: 1,
            most: 10_000,
          },
        ],
      ],
    };
  },
};

export const figureHook: FigureHook = {
  definitions: [goodput],
  besides: [],
  title: "migration with staged writes (Valet)",
  introduction:
    "A region leaves one memory node for another, clock by clock at 250 MHz, while threads of a machine read and write it and others: all accesses paused, writes held, or writes staged.",
};
