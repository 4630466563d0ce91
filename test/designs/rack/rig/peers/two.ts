/** Two sNICs with a link between them. Each has a DAG of its own that runs at the other. */
import { type Rack, readRack } from "../../../../../designs/rack/setup/index.ts";
import { withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import type { RunningRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { type Endpoint, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { putShims, snicKind } from "../../../../../designs/supernic/wire/index.ts";

const macOf = (what: number, n: number): string => `02:5c:00:00:0${what}:0${n}`;
const mac = (what: number, n: number): bigint => 0x02_5c_00_00_00_00n + BigInt(what * 256 + n);
/** UIDs are given by sNIC: 64 indices each. */
export const uidOf = (n: number): number => 1024 + 64 * n + 1;

const device = (n: number) => ({
  name: `snic${n}`,
  set: { ports: 3, regions: 1, slots: 1, branches: 1, contexts: 32, cells: 64, users: 2 },
  setup: {
    ...{ mac: macOf(0, n), ip: `10.20.0.${n + 1}`, number: n, ports: [{}, {}, { peer: true }] },
    peers: [{ name: `snic${1 - n}`, mac: macOf(0, 1 - n), port: 2 }],
    users: [{ name: "all", contexts: 32, cells: 64 }],
    regions: [{ chain: "slow", tasks: ["delay(4,40)"] }],
    dags: [
      { name: "away", user: "all", uid: uidOf(n), ports: [0], peer: `snic${1 - n}` },
      { name: "guest", user: "all", uid: uidOf(1 - n), ports: ["loop"], stages: [[{ chain: "slow" }]] },
    ],
  },
});
const endpoint = (what: number, n: number) => ({
  ...{ name: `${what === 1 ? "source" : "sink"}${n}`, mac: macOf(what, n), ip: `10.20.${what}.${n + 1}` },
  program: { kind: "capture" },
});
export const two = (): Rack =>
  readRack(
    JSON.stringify({
      devices: [0, 1].map(device),
      nodes: [],
      endpoints: [0, 1].flatMap(n => [endpoint(1, n), endpoint(2, n)]),
      links: [
        ...[0, 1].flatMap(n => [{ between: [`source${n}`, `snic${n}:0`] }, { between: [`sink${n}`, `snic${n}:1`] }]),
        { between: ["snic0:2", "snic1:2"] },
      ],
    }),
    "two",
  );

/** A datagram of the DAG that is away, numbered in its payload. */
export function datagram(n: number, number: number, bytes: number): Uint8Array {
  const from: Endpoint = { mac: mac(1, n), ip: 0x0a14_0101 + n, port: 1000 + (number % 7) },
    to: Endpoint = { mac: mac(2, n), ip: 0x0a14_0201 + n, port: 2000 };
  const payload = new Uint8Array(bytes);
  new DataView(payload.buffer).setUint32(0, number);
  return putShims(udpFrame(from, to, payload), {
    snic: {
      version: 1,
      kind: snicKind.data,
      ttl: 4,
      stage: 0,
      uid: uidOf(n),
      origin: 0,
      ingress: 0,
      unused: 0,
      unprocessed: 0,
    },
  });
}
export interface TwoRun {
  readonly rack: RunningRack;
  /** By sNIC, the numbers that came back, in their order. */
  readonly came: readonly number[][];
  readonly sent: readonly number[][];
  /** Both sources send so many, one behind the other, whatever the sNICs say: past the queue that obeys pauses. */
  readonly flood: (count: number, bytes: number) => void;
}
export const inTwo = <T>(o: Parameters<typeof withRack>[1], body: (run: TwoRun) => Promise<T>): Promise<T> =>
  withRack(two(), o, async rack => {
    const came: number[][] = [[], []],
      sent: number[][] = [[], []];
    for (const n of [0, 1])
      rack.endpoint(`sink${n}`).onFrame = frame =>
        void came[n]?.push(new DataView(frame.buffer, frame.byteOffset).getUint32(42));
    const flood = (count: number, bytes: number): void => {
      for (let i = 0; i < count; i++)
        for (const n of [0, 1]) {
          const number = sent[n]?.length ?? 0;
          sent[n]?.push(number);
          rack.endpoint(`source${n}`).jack.send(datagram(n, number, bytes));
        }
    };
    return body({ rack, came, sent, flood });
  });
