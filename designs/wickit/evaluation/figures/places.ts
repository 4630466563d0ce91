import type { Definition, Result } from "../../../shared/evaluation/index.ts";
import { nsPerCycle, walks } from "../measure.ts";

/** Cycles that memory takes at the node (docs/clio/offloads.md), and a frame's way to the node and back. */
const nodeLatency = 75,
  clientLatency = 500,
  /** The SmartNIC stands half-way. */
  snicLatency = clientLatency / 2;
const hops = [1, 2, 4, 8, 16];

async function measure({ seed }: { readonly seed: number }): Promise<Result> {
  const node = await walks("node", hops, nodeLatency, seed),
    snic = await walks("snic", hops, snicLatency, seed),
    client = await walks("client", hops, clientLatency, seed);
  const us = (cycles: number): number => (cycles * nsPerCycle) / 1000,
    points = (of: readonly number[]) => hops.map((x, i) => ({ x, y: us(of[i] ?? 0) }));
  // From the node place's caller a request and its reply are one way to the node and back more.
  const far = node.map(c => c + clientLatency),
    halfway = snic.map(c => c + clientLatency - snicLatency);
  const perHop = (of: readonly number[]) =>
    hops.slice(1).map((x, i) => ({ x, y: ((of[i + 1] ?? 0) - (of[i] ?? 0)) / (x - (hops[i] ?? 0)) }));
  const slope = { node: perHop(node), snic: perHop(snic), client: perHop(client) },
    given = (l: number, s: readonly { readonly y: number }[]): string => `${l} of ${s[0]?.y ?? Number.NaN}`;
  return {
    plots: [
      {
        title: "Latency of a list's traversal, seen from the compute side",
        kind: "lines",
        x: { label: "number of nodes", scale: "log2" },
        y: { label: "latency", unit: "µs", scale: "linear" },
        series: [
          { name: "at the node", standing: "calibrated", points: points(far) },
          { name: "at the SmartNIC", standing: "calibrated", points: points(halfway) },
          { name: "at the client", standing: "calibrated", points: points(client) },
        ],
      },
      {
        title: "What one more node costs",
        kind: "lines",
        x: { label: "number of nodes", scale: "log2" },
        y: { label: "cycles for each further node", unit: "cycles", scale: "linear" },
        series: [
          { name: "a node more, at the node", standing: "calibrated", points: slope.node },
          { name: "a node more, at the SmartNIC", standing: "calibrated", points: slope.snic },
          { name: "a node more, at the client", standing: "calibrated", points: slope.client },
        ],
      },
    ],
    claims: [
      [
        "At the node latency is affine in the number of nodes.",
        { kind: "flat", series: "a node more, at the node", within: 0.01 },
      ],
      [
        "At the SmartNIC latency is affine in the number of nodes.",
        { kind: "flat", series: "a node more, at the SmartNIC", within: 0.01 },
      ],
      [
        "At the SmartNIC a further node costs the way to the memory and back, and at most 60 cycles of the engine and its frames.",
        {
          kind: "within",
          series: "a node more, at the SmartNIC",
          from: 1,
          to: 16,
          least: snicLatency,
          most: snicLatency + 60,
        },
      ],
      [
        "At the client latency is affine in the number of nodes.",
        { kind: "flat", series: "a node more, at the client", within: 0.01 },
      ],
      [
        "At the client a further node costs the way to the memory and back, and at most 60 cycles of the engine and its frames.",
        {
          kind: "within",
          series: "a node more, at the client",
          from: 1,
          to: 16,
          least: clientLatency,
          most: clientLatency + 60,
        },
      ],
      [
        "At the node a further node costs memory's latency, and at most 30 cycles of the engine.",
        {
          kind: "within",
          series: "a node more, at the node",
          from: 1,
          to: 16,
          least: nodeLatency,
          most: nodeLatency + 30,
        },
      ],
    ],
    table: {
      columns: ["place", "cycles of a way, of a further node"],
      rows: [
        ["node", given(nodeLatency, slope.node)],
        ["SmartNIC", given(snicLatency, slope.snic)],
        ["client", given(clientLatency, slope.client)],
      ],
    },
  };
}

/** Where the program runs. */
export const placesFigure: Definition = {
  number: "3.2",
  title: "Latency by place and by the number of nodes",
  paper: [
    ["3.6.2", "One node: 12.1 µs at the server, 14.4 at the client, 16.1 at the SmartNIC."],
    ["3.6.2", "With more nodes the client falls behind, since each node costs it a way over the network."],
  ],
  given: [
    { what: "an access at the node", value: `${nodeLatency} cycles`, source: "docs/clio/offloads.md" },
    { what: "a frame to the node and back", value: `${clientLatency} cycles, 2 µs`, source: "chosen" },
    { what: "the same from the SmartNIC", value: `${snicLatency} cycles, 1 µs`, source: "chosen: half-way" },
  ],
  notes: [
    "The slopes are measured; the ways are put in. At the SmartNIC the task is measured without the device around it. The engine of an FPGA at the node has no penalty for one node: the paper's SmartNIC has, for its cores reach memory by RDMA in 3.8 µs.",
    "The paper's sentence on 8 nodes does not follow from its own constants, and is no goal here.",
  ],
  measure,
};
