/** The coordinator as a task of a SmartNIC half-way to the nodes, beside the one at the client. */
import type { Definition, Options, Plot, Result } from "../../shared/evaluation/index.ts";
import type { Dut } from "../../../sim/index.ts";
import { makeSettings } from "../config/index.ts";
import {
  type Commits,
  frameBytes,
  measureCommits,
  measureTaskCommits,
  measureTimes,
  type TaskPorts,
  wayCycles,
} from "../rig/index.ts";
import { headBytes } from "../wire/index.ts";

const us = (cycles: number): number => (cycles * 4) / 1000,
  owners = 2,
  counts = { copies: [1, 2, 3], areas: [1, 2, 3, 4] } as const;
type Over = keyof typeof counts;
interface Point {
  readonly over: Over;
  readonly x: number;
  readonly client: Commits;
  readonly task: Commits;
  /** Each area once with its head, and the answer: what a client's line has to carry at least. */
  readonly least: number;
}
const timePlot = (points: readonly Point[], over: Over): Plot => ({
  title: `A commit until its client may go on, over its ${over}`,
  kind: "lines",
  x: { label: over === "copies" ? "number of copies of a page" : "number of areas at each owner", scale: "linear" },
  y: { label: "time", unit: "us at 250 MHz", scale: "linear" },
  series: (["client", "task"] as const).map(who => ({
    name: `time over ${over}, ${who === "client" ? "at the client" : "the task"}`,
    standing: "predicted",
    points: points.filter(p => p.over === over).map(p => ({ x: p.x, y: us(p[who].cycles) })),
  })),
});
const bytesPlot = (points: readonly Point[], over: Over): Plot => {
  const of = (y: (p: Point) => number) => points.filter(p => p.over === over).map(p => ({ x: p.x, y: y(p) }));
  return {
    title: `Bytes of a commit's frames, over its ${over}`,
    kind: "lines",
    x: { label: over === "copies" ? "number of copies of a page" : "number of areas at each owner", scale: "linear" },
    y: { label: "bytes", unit: "both ways", scale: "linear" },
    series: [
      [`bytes over ${over}, client's line, at the client`, (p: Point) => p.client.bytes.client] as const,
      [`bytes over ${over}, client's line, the task`, (p: Point) => p.task.bytes.client] as const,
      [`bytes over ${over}, nodes' lines, at the client`, (p: Point) => p.client.bytes.nodes] as const,
      [`bytes over ${over}, nodes' lines, the task`, (p: Point) => p.task.bytes.nodes] as const,
      [`bytes over ${over}, more than the least, the task`, (p: Point) => p.task.bytes.client - p.least] as const,
    ].map(([name, y]) => ({ name, standing: "predicted", points: of(y) })),
  };
};
const claimsOver = (over: Over): Result["claims"] => [
  [
    `over ${over}: the client's line has each area once and an answer, and nothing more`,
    {
      kind: "within",
      series: `bytes over ${over}, more than the least, the task`,
      from: 1,
      to: 4,
      least: 0,
      most: 0,
    },
  ],
  [
    `over ${over}: the nodes' lines have as many bytes, whoever coordinates`,
    {
      kind: "above",
      series: `bytes over ${over}, nodes' lines, the task`,
      base: `bytes over ${over}, nodes' lines, at the client`,
      least: 0,
      most: 0,
    },
  ],
  [
    `over ${over}: the task's own work costs no more than twice the two ways that it saves`,
    {
      kind: "above",
      series: `time over ${over}, the task`,
      base: `time over ${over}, at the client`,
      least: -us(2 * wayCycles),
      most: us(2 * wayCycles),
    },
  ],
];

/** @param task the task, or one with a fault */
export async function measureTask({ seed }: Options, task?: Dut<TaskPorts>): Promise<Result> {
  const usual = makeSettings({ owners, copies: 2, areas: 4 }),
    points: Point[] = [];
  for (const over of ["copies", "areas"] as const)
    for (const x of counts[over]) {
      const settings = { ...usual, [over]: x },
        times = await measureTimes(settings, seed),
        one = { settings, times, merged: false, lanes: 1, conflict: false, seed },
        least = owners * settings.areas * frameBytes(headBytes + 64 * settings.lines) + frameBytes(headBytes);
      points.push({ over, x, client: measureCommits(one), task: await measureTaskCommits(one, task), least });
    }
  return {
    plots: (["copies", "areas"] as const).flatMap(over => [timePlot(points, over), bytesPlot(points, over)]),
    table: {
      columns: ["over", "", "us, client", "us, task", "client's line, client", "client's line, task", "nodes' lines"],
      rows: points.map(p => [
        ...[p.over, String(p.x), us(p.client.cycles).toFixed(2), us(p.task.cycles).toFixed(2)],
        ...[p.client.bytes.client, p.task.bytes.client, p.task.bytes.nodes].map(n => n.toFixed(0)),
      ]),
    },
    claims: (["copies", "areas"] as const).flatMap(claimsOver),
  };
}

export const taskCommit: Definition = {
  number: "task",
  title: "Who coordinates: the client, or a task half-way to the nodes",
  paper: [],
  given: [
    { what: "way", value: `${us(wayCycles)} us between client and node; the SmartNIC is half-way`, source: "ours" },
    { what: "commit", value: `areas of 1 KB at ${owners} owners, three phases`, source: "ours" },
  ],
  notes: [
    "In hardware, clock by clock: the task, and what a node does with each message. In simulated time: the ways, and the coordinator at the client.",
    "The coordinator at the client takes no time of its own, and sends all messages of a phase at once. The task makes one frame after the other: that outweighs the ways it saves where areas are many.",
    "Hotpot has no SmartNIC: nothing here is a number of the paper.",
    "Bytes are those of frames without their check sequence, FORGETs among them. Nothing is lost, so nothing is repeated.",
  ],
  measure: o => measureTask(o),
};
