import type { Definition, Plot, Series } from "../../shared/evaluation/index.ts";
import { makeSettings } from "../config/index.ts";
import { measureSwap, objectSizes, pageBytes, type Swapped, type Way, ways } from "../rig/index.ts";

/** What is told of each size and way. */
interface Told {
  readonly label: string;
  readonly unit: string;
  readonly of: (s: Swapped) => number;
}
const wire: Told = { label: "bytes on the line for an access", unit: "B", of: s => s.wireBytes },
  latency: Told = { label: "time of an access", unit: "us", of: s => s.latencyNs / 1000 },
  goodput: Told = { label: "objects that come and go", unit: "Gbit/s", of: s => s.goodput };

async function measured(seed: number, quick: boolean): Promise<Swapped[]> {
  const sizes = quick ? [64, 1024, pageBytes] : objectSizes,
    { gbps } = makeSettings(),
    all: Swapped[] = [];
  for (const objectBytes of sizes)
    for (const way of ways) all.push(await measureSwap(way, { seed, gbps, objectBytes, accesses: quick ? 16 : 32 }));
  return all;
}

function plotOf(told: Told, all: readonly Swapped[]): Plot {
  const of = (way: Way): Series => ({
    name: way,
    standing: "predicted",
    points: all.filter(s => s.way === way).map(s => ({ x: s.objectBytes, y: told.of(s) })),
  });
  return {
    title: `${told.label}, ${told.unit}`,
    kind: "lines",
    x: { label: "bytes of an object", unit: "B", scale: "log2" },
    y: { label: told.label, unit: told.unit, scale: "log2" },
    series: ways.map(of),
  };
}

/** How many times a page's figure is the object's, by size. */
function gainOf(told: Told, all: readonly Swapped[], how: (page: number, object: number) => number): Series {
  const [objects, pages] = ways.map(way => all.filter(s => s.way === way));
  return {
    name: "gain of objects",
    standing: "predicted",
    points: (objects ?? []).map((s, i) => ({ x: s.objectBytes, y: how(told.of(pages?.[i] ?? s), told.of(s)) })),
  };
}
const gainPlot = (title: string, series: Series): Plot => ({
  title,
  kind: "lines",
  x: { label: "bytes of an object", unit: "B", scale: "log2" },
  y: { label: "pages' figure over the objects'", unit: "times", scale: "log2" },
  series: [series],
});

const given = [
  {
    what: "lines",
    value: "25 Gbit/s, 500 ns each way",
    source: "section 4: ConnectX-4 of 25 Gbit/s; the delay is ours",
  },
];
const common = [
  "In hardware: the memory node. In traffic: a machine that fetches what it lacks and writes back what it changed, by CLib.",
  "Not modelled: AIFM's TCP and its remote agent, registration of memory, copies by the processor. So the paper's 2.1 and 1.25 times over TCP are not claimed; its order of objects before pages is.",
];

const swapWire: Definition = {
  number: "wire",
  title: "Bytes on the line: objects beside pages",
  paper: [["1", "AIFM swaps objects where Fastswap swaps whole pages, so that small objects move fewer bytes."]],
  given,
  notes: [
    ...common,
    "Each access misses, changes its object, and sends another changed one back. Frames count with their 24 bytes of preamble, check sequence and gap.",
  ],
  measure: async ({ seed, quick }) => {
    const all = await measured(seed, quick);
    return {
      plots: [
        plotOf(wire, all),
        gainPlot(
          "Amplification of pages",
          gainOf(wire, all, (page, object) => page / object),
        ),
      ],
      claims: [
        [
          "an object of 64 B costs less than a sixteenth of its page",
          { kind: "within", series: "gain of objects", from: 64, to: 64, least: 16, most: 64 },
        ],
        [
          "an object of a page costs what its page does",
          { kind: "within", series: "gain of objects", from: pageBytes, to: pageBytes, least: 1, most: 1 },
        ],
        [
          "above a page pages cost a little more: there are more requests",
          { kind: "within", series: "gain of objects", from: pageBytes, to: 65_536, least: 1, most: 1.05 },
        ],
      ],
    };
  },
};

const swapTime: Definition = {
  number: "swap",
  title: "Time and goodput: objects beside pages",
  paper: [
    [
      "4",
      "Objects of 64 B and of 4 KB: RDMA gains up to 2.1 times and about 1.25 times over TCP; the gain shrinks with the size.",
    ],
    ["4", "With objects of 4 KB it is still ahead of Fastswap."],
  ],
  given,
  notes: [
    ...common,
    "At a page's size the two move the same bytes in the same frames, so they take the same time here. What AIFM gains there is a kernel's fault, which is not modelled.",
    "The time is of an access that reads, alone. Goodput is with eight accesses under way that change their objects.",
  ],
  measure: async ({ seed, quick }) => {
    const all = await measured(seed, quick);
    return {
      plots: [
        plotOf(latency, all),
        plotOf(goodput, all),
        gainPlot(
          "Time of a page over the object's",
          gainOf(latency, all, (page, object) => page / object),
        ),
      ],
      claims: [
        [
          "an object of 64 B comes in less than half of its page's time",
          { kind: "within", series: "gain of objects", from: 64, to: 64, least: 2, most: 4 },
        ],
        [
          "the gain is smaller at 1 KB",
          { kind: "within", series: "gain of objects", from: 1024, to: 1024, least: 1.3, most: 1.9 },
        ],
        [
          "and none at a page's size",
          { kind: "within", series: "gain of objects", from: pageBytes, to: pageBytes, least: 1, most: 1.02 },
        ],
      ],
    };
  },
};

export const swapFigures: readonly Definition[] = [swapWire, swapTime];
