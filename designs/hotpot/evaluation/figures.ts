import type { FigureHook } from "../../shared/command-line/index.ts";
import type { Definition, Plot } from "../../shared/evaluation/index.ts";
import { makeSettings } from "../config/index.ts";
import { taskCommit } from "./task-figure.ts";
import { type Commits, measureCommits, measureTimes, memoryCycles, type Times, wayCycles } from "../rig/index.ts";

const us = (cycles: number): number => (cycles * 4) / 1000;
const counts = [1, 2, 3, 4];
type Mode = "MRMW" | "MRSW";
const modes: readonly Mode[] = ["MRMW", "MRSW"];

interface Point {
  readonly mode: Mode;
  readonly x: number;
  readonly r: Commits;
}

const costPlot = (points: readonly Point[]): Plot => ({
  title: "A commit until its client may go on",
  kind: "lines",
  x: { label: "number of owners", scale: "linear" },
  y: { label: "time", unit: "us at 250 MHz", scale: "linear" },
  series: modes.map(mode => ({
    name: mode === "MRMW" ? "MRMW, three phases" : "MRSW, one phase",
    standing: "predicted",
    points: points.filter(p => p.mode === mode).map(p => ({ x: p.x, y: us(p.r.cycles) })),
  })),
});
const conflictPlot = (same: readonly Point[], own: readonly Point[]): Plot => ({
  title: "Coordinators that commit at the same moment",
  kind: "lines",
  x: { label: "number of coordinators", scale: "linear" },
  y: { label: "mean time of a commit", unit: "us at 250 MHz", scale: "linear" },
  series: [
    { name: "the same pages", standing: "predicted", points: same.map(p => ({ x: p.x, y: us(p.r.cycles) })) },
    { name: "pages of their own", standing: "predicted", points: own.map(p => ({ x: p.x, y: us(p.r.cycles) })) },
  ],
});
/** Messages by the protocol's own count: areas to owners, areas to replicas, COMMIT, FORGET. */
const counted = (mode: Mode, owners: number, areas: number, copies: number): number => {
  const replicas = Math.max(owners, copies) === owners && copies > 1 ? owners : copies - 1;
  return owners * areas * copies + (mode === "MRMW" ? owners : 0) + replicas + owners;
};

const commit: Definition = {
  number: "commit",
  title: "What a replicated commit costs",
  paper: [
    ["2.8.4", "As expected, MRMW commit is more costly than MRSW."],
    [
      "2.6.2",
      "When only one remote ON is involved in a commit operation, there is no need to coordinate multiple ONs and Hotpot performs the above commit protocol in a single phase.",
    ],
    ["2.8.4", "Commit conflict causes degraded performance, and the degradation is worse with more conflicting nodes."],
  ],
  given: [
    { what: "way", value: `${us(wayCycles)} us between coordinator and node`, source: "ours" },
    {
      what: "memory",
      value: `${memoryCycles} cycles to an answer`,
      source: "ours: the node's fast path with its DRAM",
    },
    {
      what: "commit",
      value: "4 areas of 1 KB at each owner, 2 copies",
      source: "section 2.8.4: areas of 1 KB; it has 32 of them",
    },
  ],
  notes: [
    "In hardware, clock by clock: what a node does with each message. In simulated time: the ways between, and the coordinator, a state machine.",
    "MRSW: its acquire and release at a master node are before and behind, and are not in the time.",
    "Not modelled: the gain of ON migration, cached copies at compute nodes, clflush, applications. The paper's 250 us to 16 nodes and its figures 2.13 to 2.16 are of software over RDMA; no number of them is claimed, directions are.",
  ],
  measure: async ({ seed }) => {
    const settings = makeSettings(),
      times: Times = await measureTimes(settings, seed);
    const at = (mode: Mode, owners: number, lanes: number, conflict: boolean): Commits =>
      measureCommits({ settings: { ...settings, owners }, times, merged: mode === "MRSW", lanes, conflict, seed });
    const cost = modes.flatMap(mode => counts.map((x): Point => ({ mode, x, r: at(mode, x, 1, false) }))),
      race = (conflict: boolean): Point[] => counts.map(x => ({ mode: "MRMW", x, r: at("MRMW", 2, x, conflict) })),
      same = race(true),
      own = race(false);
    const messages = (mode: Mode): { x: number; y: number }[] =>
      cost
        .filter(p => p.mode === mode)
        .map(p => ({ x: p.x, y: p.r.messages - counted(mode, p.x, settings.areas, settings.copies) }));
    return {
      plots: [
        costPlot(cost),
        conflictPlot(same, own),
        {
          title: "Messages beside the protocol's own count",
          kind: "lines",
          x: { label: "number of owners", scale: "linear" },
          y: { label: "messages too many", unit: "of a commit", scale: "linear" },
          series: modes.map(mode => ({ name: `${mode}, messages`, standing: "predicted", points: messages(mode) })),
        },
      ],
      table: {
        columns: ["owners", "mode", "us", "messages", "by count"],
        rows: cost.map(p => [
          ...[String(p.x), p.mode, us(p.r.cycles).toFixed(2), p.r.messages.toFixed(0)],
          String(counted(p.mode, p.x, settings.areas, settings.copies)),
        ]),
      },
      claims: [
        [
          "MRMW costs more than MRSW, by a way there and back and the checkpoint's message",
          { kind: "above", series: "MRMW, three phases", base: "MRSW, one phase", least: us(2 * wayCycles), most: 50 },
        ],
        [
          "a single owner in one phase saves a round",
          {
            kind: "within",
            series: "MRSW, one phase",
            from: 1,
            to: 1,
            least: 0,
            most: us(cost[0]?.r.cycles ?? 0) - us(2 * wayCycles),
          },
        ],
        [
          "two and more coordinators of the same pages wait for one another",
          {
            kind: "within",
            series: "the same pages",
            from: 2,
            to: 4,
            least: us(own[0]?.r.cycles ?? 0) * 1.2,
            most: 1000,
          },
        ],
        [
          "MRMW has as many messages as the protocol says",
          { kind: "within", series: "MRMW, messages", from: 1, to: 4, least: 0, most: 0 },
        ],
        [
          "MRSW has as many messages as the protocol says",
          { kind: "within", series: "MRSW, messages", from: 1, to: 4, least: 0, most: 0 },
        ],
      ],
    };
  },
};

export const figureHook: FigureHook = {
  definitions: [commit, taskCommit],
  besides: [],
  title: "replicated commit (Hotpot)",
  introduction:
    "Memory nodes with the commit engine, clock by clock at 250 MHz, and coordinators that commit pages of several of them with copies.",
};
