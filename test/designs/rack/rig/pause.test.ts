/**
 * An endpoint that sends more than its user's tasks process, beside one of another user. One that obeys pauses loses
 * nothing at the sNIC's port; one that ignores them is dropped there and counted, and the other feels neither. So it is
 * behind a switch, which keeps what a sNIC has paused, and pauses its hosts.
 */
import { describe, expect, it } from "vitest";
import { withRack } from "../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../designs/rack/setup/index.ts";
import { type Endpoint, udpFrame } from "../../../../designs/shared/wire/index.ts";
import { putShims, snicKind } from "../../../../designs/supernic/wire/index.ts";

const patience = 120_000,
  names = ["greedy", "meek"] as const,
  uids = [1025, 1026] as const,
  macOf = (n: number): string => `02:10:00:00:00:0${n}`,
  /** More than the buffer of a port, twice over. */
  flood = 600,
  bytes = 1000,
  meekFrames = 60,
  meekEvery = 1_000;
const planOf = (ignoresPause: boolean, viaSwitch: boolean) =>
  readRack(
    JSON.stringify({
      devices: [
        {
          name: "snic0",
          set: { ports: 3, regions: 2, slots: 1, branches: 1, contexts: 64, cells: 128, users: 3 },
          setup: {
            ...{ mac: "02:5c:00:00:00:01", ip: "10.20.0.1" },
            users: names.map((name, k) => ({ name, class: k, contexts: 32, cells: 64 })),
            regions: [
              { chain: "greedy", tasks: ["delay(4,60)"] },
              { chain: "meek", tasks: ["dummy"] },
            ],
            dags: names.map((name, k) => ({
              name,
              user: name,
              uid: uids[k],
              ports: [viaSwitch ? 0 : k],
              stages: [[{ chain: name }]],
            })),
          },
        },
      ],
      nodes: [],
      endpoints: [...names, "sink"].map((name, n) => ({
        ...{ name, mac: macOf(n), ip: `10.20.1.${n + 1}`, program: { kind: "capture" } },
        ...(name === "greedy" && { ignoresPause }),
      })),
      ...(viaSwitch && { switches: [{ name: "tor", ports: 3 }] }),
      links: [
        ...(viaSwitch ? [{ between: ["tor:2", "snic0:0"] }] : []),
        ...[...names, "sink"].map((name, n) => ({
          between: [name, viaSwitch && n < names.length ? `tor:${n}` : `snic0:${n}`],
        })),
      ],
    }),
    "pause",
  );
const station = (n: number): Endpoint => ({ mac: 0x02_10_00_00_00_00n + BigInt(n), ip: 0x0a14_0101 + n, port: 1000 }),
  numberAt = 42;
function frame(k: 0 | 1, number: number): Uint8Array {
  const payload = new Uint8Array(bytes);
  new DataView(payload.buffer).setUint32(0, number);
  const head = { version: 1, kind: snicKind.data, ttl: 4, stage: 0, uid: uids[k] };
  return putShims(udpFrame(station(k), station(2), payload), {
    snic: { ...head, origin: 0, ingress: 0, unused: 0, unprocessed: 0 },
  });
}
interface Seen {
  /** Numbers of each that came, in their order. */
  readonly came: readonly [number[], number[]];
  /** Of the meek one's frames, ns. */
  readonly latencies: number[];
  readonly dropped: readonly [number, number];
  readonly pauses: readonly [number, number];
  readonly problems: readonly string[];
}
interface How {
  readonly ignoresPause: boolean;
  readonly flood: number;
  readonly viaSwitch: boolean;
}
const seen = (how: How): Promise<Seen> =>
  withRack(planOf(how.ignoresPause, how.viaSwitch), { seed: 1 }, async rack => {
    const came: [number[], number[]] = [[], []],
      latencies: number[] = [],
      began: number[] = [],
      [greedy, meek] = [rack.endpoint("greedy"), rack.endpoint("meek")];
    rack.endpoint("sink").onFrame = f => {
      const view = new DataView(f.buffer, f.byteOffset),
        number = view.getUint32(numberAt),
        k = view.getUint8(11) === 0 ? 0 : 1;
      came[k].push(number);
      if (k === 1) latencies.push(rack.clockwork.time.now() - (began[number] ?? 0));
    };
    for (let i = 0; i < how.flood; i++) greedy.send(frame(0, i));
    for (let i = 0; i < meekFrames; i++) {
      began.push(rack.clockwork.time.now());
      meek.send(frame(1, i));
      await rack.clockwork.pause(meekEvery);
    }
    const { devices, problems } = await rack.finish(),
      { ports = [] } = devices.get("snic0") ?? {},
      [tor] = rack.switches;
    expect(tor?.inside ?? 0).toBe(0);
    return {
      ...{ came, latencies, problems },
      dropped: tor ? [tor.counts.full, 0] : [ports[0]?.["inFull0"] ?? 0, ports[1]?.["inFull1"] ?? 0],
      pauses: [greedy.counts.pauses, meek.counts.pauses],
    };
  });
const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

describe("an endpoint that sends more than its user's tasks process", () => {
  it.each([false, true])(
    "behind a switch: %s. It loses nothing at the port if it obeys pauses; if not it is dropped there, counted, and hurts nobody else",
    async viaSwitch => {
      const alone = await seen({ ignoresPause: false, flood: 0, viaSwitch }),
        obeys = await seen({ ignoresPause: false, flood, viaSwitch }),
        ignores = await seen({ ignoresPause: true, flood, viaSwitch });
      expect([alone, obeys, ignores].flatMap(s => s.problems)).toEqual([]);
      expect(obeys.came[0]).toEqual(upTo(flood));
      expect([obeys.dropped, alone.pauses]).toEqual([
        [0, 0],
        [0, 0],
      ]);
      expect(obeys.pauses[0]).toBeGreaterThan(1);
      // The hostile one: what did not come was dropped at its own port, and each is counted.
      expect(ignores.dropped[0]).toBeGreaterThan(flood / 10);
      expect(ignores.came[0].length + ignores.dropped[0]).toBe(flood);
      expect(ignores.came[0]).toEqual([...ignores.came[0]].sort((a, b) => a - b));
      for (const s of [alone, obeys, ignores]) {
        expect(s.came[1]).toEqual(upTo(meekFrames));
        expect([s.dropped[1], s.pauses[1]]).toEqual([0, 0]);
      }
      // A frame of the other one is before it on each line that both use, at most: 24 bytes lie between two. A
      // switch gives a line 40 ns of frames ahead.
      const worst = (s: Seen): number => Math.max(...s.latencies),
        frameNs = ((frame(0, 0).length + 24) * 8) / 100,
        most = worst(alone) + frameNs + (viaSwitch ? frameNs + 40 : 0);
      expect(worst(obeys)).toBeLessThanOrEqual(most);
      expect(worst(ignores)).toBeLessThanOrEqual(most);
    },
    patience,
  );
});
