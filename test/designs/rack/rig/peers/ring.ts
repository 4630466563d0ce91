/** sNICs in a ring. Each has a DAG of its own that runs at the second next one, over the one in between. */
import { type RunningRack, withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { type Rack, readRack } from "../../../../../designs/rack/setup/index.ts";
import { datagram, uidOf } from "./two.ts";

const macOf = (what: number, n: number): string => `02:5c:00:00:0${what}:0${n}`;
/** Ports of a sNIC: a source, a sink, and the next and the one before of the ring. */
export const next = 2,
  before = 3;

/** The way from one sNIC to another: a port, and links. */
export type Way = (from: number, to: number, count: number) => { readonly port: number; readonly hops: number };
const round = (from: number, to: number, count: number): number => (to - from + count) % count;
/** Fewest links; of two ways that are as long, the one that does not pass the first sNIC. */
export const fewest: Way = (from, to, count) => {
  const onward = round(from, to, count),
    back = count - onward,
    isOnward = onward < back || (onward === back && from < to);
  return isOnward ? { port: next, hops: onward } : { port: before, hops: back };
};
/** The other way than that. */
export const otherThan =
  (way: Way): Way =>
  (from, to, count) => {
    const { port, hops } = way(from, to, count);
    return { port: port === next ? before : next, hops: count - hops };
  };
/** Never through the first sNIC: so no circle closes, however long the ring is. */
export const notThroughTheFirst: Way = (from, to, count) => {
  if (from === 0 || to === 0) return fewest(from, to, count);
  return from < to ? { port: next, hops: to - from } : { port: before, hops: from - to };
};
/** @param away how many sNICs onward its DAG runs */
const device = (n: number, count: number, way: Way, away: number, around: Way | undefined) => {
  const guest = round(away, n, count),
    others = Array.from({ length: count }, (_, m) => m).filter(m => m !== n),
    target = (n + away) % count;
  return {
    name: `snic${n}`,
    set: { ports: 4, regions: 1, slots: 1, branches: 1, contexts: 32, cells: 64, users: 2 },
    setup: {
      ...{ mac: macOf(0, n), ip: `10.20.0.${n + 1}`, number: n },
      ports: [{}, {}, { peer: true }, { peer: true }],
      peers: others.map(m => ({
        ...{ name: `snic${m}`, mac: macOf(0, m), ...way(n, m, count) },
        ...(around !== undefined && (n === 0 || m === 0) && { around: around(n, m, count) }),
      })),
      users: [{ name: "all", contexts: 32, cells: 64 }],
      regions: [{ chain: "slow", tasks: ["delay(4,12)"] }],
      dags: [
        { name: "away", user: "all", uid: uidOf(n), ports: [0], peer: `snic${target}` },
        { name: "guest", user: "all", uid: uidOf(guest), ports: ["loop"], stages: [[{ chain: "slow" }]] },
      ],
    },
  };
};
const endpoint = (what: number, n: number) => ({
  ...{ name: `${what === 1 ? "source" : "sink"}${n}`, mac: macOf(what, n), ip: `10.20.${what}.${n + 1}` },
  program: { kind: "capture" },
});
/** The setup of a rack. */
export function ringText(count: number, way: Way, away = 2, around?: Way): string {
  const all = Array.from({ length: count }, (_, n) => n);
  return JSON.stringify({
    devices: all.map(n => device(n, count, way, away, around)),
    nodes: [],
    endpoints: all.flatMap(n => [endpoint(1, n), endpoint(2, n)]),
    links: [
      ...all.flatMap(n => [{ between: [`source${n}`, `snic${n}:0`] }, { between: [`sink${n}`, `snic${n}:1`] }]),
      ...all.map(n => ({ between: [`snic${n}:${next}`, `snic${(n + 1) % count}:${before}`] })),
    ],
  });
}
/** @param seen by `readRack`: its check of ways may be met with others than those that the rack then has */
export function ring(count: number, way: Way, seen: Way = way, away = 2): Rack {
  const rack = readRack(ringText(count, seen, away), "ring");
  if (seen === way) return rack;
  return {
    ...rack,
    devices: rack.devices.map((d, n) => {
      const peers = d.setup.peers.map(p => ({ ...p, ...way(n, Number(p.mac & 0xffn), count) })),
        home = (mac: bigint) => peers.find(p => (p.mac & 0xffn) === (mac & 0xffn))?.port;
      const stations = d.setup.stations.map(s => ({ ...s, port: home(s.mac) ?? s.port }));
      return { ...d, setup: { ...d.setup, peers, stations } };
    }),
  };
}
export interface RingRun {
  readonly rack: RunningRack;
  /** By sNIC, the numbers that came back, in their order. */
  readonly came: readonly number[][];
  /** All sources send so many, one behind the other, past the queue that obeys pauses. */
  readonly flood: (count: number, bytes: number, of?: readonly number[]) => void;
  readonly total: () => number;
  /** Until nothing has come for 20 us. @returns how many came */
  readonly stands: () => Promise<number>;
}
export const inRing = <T>(
  rack: Rack,
  o: Parameters<typeof withRack>[1],
  body: (run: RingRun) => Promise<T>,
): Promise<T> =>
  withRack(rack, o, async running => {
    const all = running.devices.map((_, n) => n),
      came: number[][] = all.map(() => []),
      sent = all.map(() => 0);
    for (const n of all)
      running.endpoint(`sink${n}`).onFrame = frame =>
        void came[n]?.push(new DataView(frame.buffer, frame.byteOffset).getUint32(42));
    const flood = (count: number, bytes: number, of: readonly number[] = all): void => {
      for (let i = 0; i < count; i++)
        for (const n of of)
          running.endpoint(`source${n}`).jack.send(datagram(n, (sent[n] = (sent[n] ?? 0) + 1), bytes));
    };
    const total = (): number => came.flat().length;
    const stands = async (): Promise<number> => {
      for (let seen = -1; seen !== total();) {
        seen = total();
        await running.clockwork.pause(20_000);
      }
      return total();
    };
    return body({ rack: running, came, flood, total, stands });
  });
