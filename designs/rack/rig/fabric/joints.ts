/** The rack's ledger: from place to place, as many frames came as went. */
import type { AllCounts, Counts } from "../../../supernic/rig/index.ts";
import type { RunningRack } from "./rack.ts";

/** Two counts of the same frames. */
interface Joint {
  readonly what: string;
  readonly came: number;
  readonly went: number;
}
const startsWith = (c: Counts | undefined, begin: string): number =>
  Object.entries(c ?? {}).reduce((n, [name, v]) => n + (name.startsWith(begin) ? v : 0), 0);

const ofLines = ({ lines }: RunningRack): readonly Joint[] =>
  lines
    .flatMap(l => l.ways)
    .flatMap(({ from, to, statistics: s }): readonly Joint[] => [
      { what: `${from.name}: frames into the line`, came: from.counts.sent, went: s.sent },
      { what: `${to.name}: frames out of the line`, came: s.delivered, went: to.counts.received },
    ]);
/** Ports without a line are left out: what leaves there is lost. */
const ofDevices = ({ devices }: RunningRack, counters: ReadonlyMap<string, AllCounts>): readonly Joint[] =>
  devices.flatMap(d =>
    d.jacks.flatMap((jack, port): readonly Joint[] => {
      if (!jack.isPlugged) return [];
      const c = counters.get(d.name)?.ports[port];
      return [
        { what: `${jack.name}: frames that left`, came: d.left[port] ?? 0, went: jack.counts.sent },
        { what: `${jack.name}: frames that came`, came: jack.counts.received, went: startsWith(c, "in") },
      ];
    }),
  );
const ofSwitches = ({ switches }: RunningRack): readonly Joint[] =>
  switches.flatMap(({ name, jacks, counts }): readonly Joint[] => {
    const sum = (of: "sent" | "received"): number => jacks.reduce((n, j) => n + j.counts[of], 0);
    return [
      { what: `${name}: frames that came`, came: sum("received"), went: counts.in },
      { what: `${name}: frames that left`, came: counts.forwarded + counts.pauses, went: sum("sent") },
    ];
  });
const ofEndpoints = ({ endpoints }: RunningRack): readonly Joint[] =>
  endpoints.map(({ name, jack, counts }) => ({
    what: `${name}: frames that came`,
    came: jack.counts.received,
    went: counts.taken + counts.unclaimed + counts.foreign + counts.damaged + counts.pauses,
  }));

/** @returns a sentence for each place that loses or makes frames, and for frames that came to the wrong station */
export function joints(rack: RunningRack, counters: ReadonlyMap<string, AllCounts>): readonly string[] {
  // To an uplink goes what nobody knows.
  const uplink = rack.devices.some(d => d.setup.uplink !== undefined),
    all = [...ofLines(rack), ...ofDevices(rack, counters), ...ofSwitches(rack), ...ofEndpoints(rack)];
  return [
    ...all.flatMap(({ what, came, went }) =>
      came === went ? [] : [`${what}: ${came} came, and ${went} are accounted for`],
    ),
    ...rack.endpoints.flatMap(({ name, counts }) =>
      counts.foreign === 0 || uplink ? [] : [`${name}: ${counts.foreign} frames came that are for another station`],
    ),
  ];
}
