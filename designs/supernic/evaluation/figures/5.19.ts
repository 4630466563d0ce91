import type { Definition, Result } from "../../../shared/evaluation/index.ts";
import { type Chain, coreBeats, measureVpc, type VpcRate } from "../measure/index.ts";
import { clockPeriod } from "../../config/index.ts";

const whole: Chain = "firewall, NAT and AES",
  aes: Chain = "AES alone";
/** By size of a frame: million frames a second of the hosts' software. The last is more than goes through. */
const quickly = new Map([
    [64, [4, 16, 64, 128]],
    [1024, [1, 4, 16]],
  ]),
  usually = new Map([
    [64, [1, 2, 4, 8, 16, 32, 64, 128]],
    [256, [1, 2, 4, 8, 16, 32, 64]],
    [1024, [1, 2, 4, 8, 16]],
  ]);
/** Software up to here is all that bounds: a claim, million frames a second. */
const boundBySoftware = new Map([
  [64, 64],
  [256, 16],
  [1024, 4],
]);
const mega = 1000;
/** Gbit/s of such frames on a line of 100 Gbit/s: preamble and gap take 20 bytes. */
const onLine = (size: number): number => (100 * size) / (size + 20);

const gbps = (size: number, millions: number): number => (millions * size * 8) / mega,
  cycles = (millions: number): number => mega / millions / clockPeriod,
  best = (list: readonly VpcRate[], size: number): number =>
    Math.max(...list.filter(r => r.size === size).map(r => r.came));
/** Names of series. */
const software = (size: number): string => `${size} bytes, software alone`,
  two = (size: number): string => `${size} bytes, two sNICs`,
  part = (size: number): string => `${size} bytes`,
  names = { whole: `two sNICs: ${whole}`, aes: `two sNICs: ${aes}`, beats: "beats of the second core, estimate" };

function bySoftware(sizes: readonly number[], through: readonly VpcRate[]): Result["plots"] {
  const x = { label: "hosts' software", unit: "million frames/s", scale: "log2" as const },
    of = (size: number): readonly VpcRate[] => through.filter(r => r.size === size);
  return [
    {
      title: "Throughput",
      kind: "lines",
      x,
      y: { label: "throughput", unit: "Gbit/s", scale: "linear" },
      series: sizes.flatMap(size => [
        {
          name: two(size),
          standing: "calibrated" as const,
          points: of(size).map(r => ({ x: r.offered, y: gbps(size, r.came) })),
        },
        {
          name: software(size),
          standing: "calibrated" as const,
          points: of(size).map(r => ({ x: r.offered, y: Math.min(gbps(size, r.offered), onLine(size)) })),
        },
      ]),
    },
    {
      title: "Part of it that comes through",
      kind: "lines",
      x,
      y: { label: "part", unit: "%", scale: "linear" },
      series: sizes.map(size => ({
        name: part(size),
        standing: "calibrated" as const,
        points: of(size).map(r => ({ x: r.offered, y: (100 * r.came) / r.offered })),
      })),
    },
  ];
}
function bySize(
  sizes: readonly number[],
  through: readonly VpcRate[],
  alone: readonly VpcRate[],
): Result["plots"][number] {
  return {
    title: "A frame, when software gives more than goes through",
    kind: "bars",
    x: { label: "frame", scale: "category" },
    y: { label: "time of a frame", unit: "cycles", scale: "linear" },
    series: [
      {
        name: names.whole,
        standing: "predicted" as const,
        points: sizes.map(size => ({ x: part(size), y: cycles(best(through, size)) })),
      },
      {
        name: names.aes,
        standing: "predicted" as const,
        points: sizes.map(size => ({ x: part(size), y: cycles(best(alone, size)) })),
      },
      {
        name: names.beats,
        standing: "predicted" as const,
        points: sizes.map(size => ({ x: part(size), y: coreBeats(whole, size) })),
      },
    ],
  };
}
const claimsOf = (sizes: readonly number[]): Result["claims"] => [
  ...sizes.flatMap((size): Result["claims"] => {
    const until = boundBySoftware.get(size) ?? 0;
    return [
      [`${size} bytes: no less when software gives out more`, { kind: "rising", series: two(size), slack: 0.01 }],
      [
        `${size} bytes: up to ${until} million frames a second all of it comes through: software is what bounds`,
        { kind: "within", series: part(size), from: 1, to: until, least: 99, most: 101 },
      ],
      [
        `${size} bytes: beyond, two sNICs bound`,
        { kind: "within", series: part(size), from: 2 * until, to: 1000, least: 1, most: 99 },
      ],
    ];
  }),
  [
    "it is the second core that does: a frame takes its beats there, and two cycles more at most",
    { kind: "above", series: names.whole, base: names.beats, least: 0, most: 2 },
  ],
  [
    "AES alone is faster: firewall and NAT are not what bounds, the second pass is",
    { kind: "above", series: names.whole, base: names.aes, least: 0.1, most: 100 },
  ],
];

/** @param measure cycle by cycle */
export const vpcFigure = (measure: typeof measureVpc): Definition => ({
  number: "5.19",
  title: "Virtual private cloud",
  paper: [
    [
      "5.7.3",
      "Firewall, NAT and AES on two sNICs have more throughput than in Open vSwitch, with DPDK or without. Open vSwitch at both ends is what bounds all of them.",
    ],
  ],
  given: [
    {
      what: "software of the hosts",
      value: "million frames a second: the axis",
      source: "put in; the paper's text has no rate of Open vSwitch, with DPDK or without",
    },
    { what: "lines", value: "100 Gbit/s", source: "paper 5.7, Environment" },
  ],
  notes: [
    "Two sNICs cycle by cycle, with a line between. At the first one a frame passes firewall, NAT and AES-256; at the second one it is opened, and passes the firewall. Each byte that comes is looked at, and nothing is in the clear between. The hosts obey pauses, so none is lost.",
    "Software alone: what a host gives out that has no task to do. Open vSwitch that does the three tasks as well gives out less, whatever they cost it. So both of the paper's baselines are below this line, and two sNICs are on it until they bound.",
    "A frame goes into the second core twice, as a tunnel and as what was in it. One beat a cycle goes in: the estimate. With AES alone there is no second chain.",
  ],
  measure: async ({ seed, quick }): Promise<Result> => {
    const rates = quick ? quickly : usually,
      sizes = [...rates.keys()],
      count = quick ? 150 : 300,
      loads = sizes.flatMap(size => (rates.get(size) ?? []).map(offered => ({ size, offered }))),
      most = sizes.map(size => ({ size, offered: Math.max(...(rates.get(size) ?? [])) }));
    const through = await measure(seed, { chain: whole, loads, count }),
      alone = await measure(seed, { chain: aes, loads: most, count });
    return {
      plots: [...bySoftware(sizes, through), bySize(sizes, through, alone)],
      claims: claimsOf(sizes),
      notes: sizes.map(size => {
        const all = best(through, size);
        return `${size} bytes: two sNICs bound from ${all.toFixed(1)} million frames a second on, ${gbps(size, all).toFixed(1)} Gbit/s; with AES alone from ${best(alone, size).toFixed(1)} on.`;
      }),
    };
  },
});
export const figure519 = vpcFigure(measureVpc);
