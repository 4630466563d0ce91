/**
 * A task's pages at a peer, cycle by cycle: two sNICs with a link between them. Each has a task that keeps a number by
 * port in its memory, in more pages than its board has room for. Each answer is held against this test's own copy.
 */
import { describe, expect, it } from "vitest";
import { peersOf, type RunningRack, withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import { type Endpoint, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { taskNamed } from "../../../../../designs/supernic/build/index.ts";
import type { PeerSoftware } from "../../../../../designs/supernic/software/index.ts";
import { putShims, snicKind } from "../../../../../designs/supernic/wire/index.ts";
import { exchange, exchangeModel } from "../../../supernic/rtl/memory/support/exchange-task.ts";

const period = 50_000,
  quiet = 3_000,
  rackKey = new Uint8Array(32).fill(5),
  /** Each keeps its number in another page. */
  ports = [1, 9, 60, 130, 200, 250],
  numberAt = 18;
const macOf = (what: number, n: number): string => `02:5c:00:00:0${what}:0${n}`,
  mac = (what: number, n: number): bigint => 0x02_5c_00_00_00_00n + BigInt(what * 256 + n),
  uidOf = (n: number): number => 1024 + 64 * n + 1;
const taskOf = (name: string) => (name === "exchange" ? exchange : taskNamed(name));
const device = (n: number) => ({
  name: `snic${n}`,
  set: {
    ...{ ports: 3, regions: 2, slots: 1, branches: 1, contexts: 32, cells: 64, users: 2 },
    ...{ pageSize: "16KB", memory: "512MB" },
  },
  setup: {
    ...{ mac: macOf(0, n), ip: `10.20.0.${n + 1}`, number: n, ports: [{}, {}, { peer: true }] },
    peers: [{ name: `snic${1 - n}`, mac: macOf(0, 1 - n), port: 2 }],
    users: [{ name: "keeper", contexts: 32, cells: 64 }],
    regions: [
      { chain: "keeps", tasks: ["exchange"] },
      { chain: "plain", tasks: ["dummy"] },
    ],
    dags: [{ name: "through", user: "keeper", uid: uidOf(n), ports: [0], stages: [[{ chain: "keeps" }]] }],
  },
});
const plan = readRack(
  JSON.stringify({
    devices: [0, 1].map(device),
    nodes: [],
    endpoints: [0, 1].flatMap(n =>
      [1, 2].map(what => ({
        ...{ name: `${what === 1 ? "source" : "sink"}${n}`, mac: macOf(what, n), ip: `10.20.${what}.${n + 1}` },
        program: { kind: "capture" },
      })),
    ),
    links: [
      ...[0, 1].flatMap(n => [{ between: [`source${n}`, `snic${n}:0`] }, { between: [`sink${n}`, `snic${n}:1`] }]),
      { between: ["snic0:2", "snic1:2"] },
    ],
  }),
  "pages",
  t => taskOf(t).declared,
);
/** A datagram that leaves its number at a port's place. */
function datagram(n: number, port: number, number: number): Uint8Array {
  const from: Endpoint = { mac: mac(1, n), ip: 0x0a14_0101 + n, port: 1000 },
    to: Endpoint = { mac: mac(2, n), ip: 0x0a14_0201 + n, port };
  const plain = udpFrame(from, to, new Uint8Array(40));
  plain.set([number >> 8, number & 255], numberAt);
  const head = { version: 1, kind: snicKind.data, ttl: 4, stage: 0, uid: uidOf(n) };
  return putShims(plain, { snic: { ...head, origin: 0, ingress: 0, unused: 0, unprocessed: 0 } });
}
class Keepers {
  readonly #rack: RunningRack;
  readonly #kept = new Map<string, number>();
  readonly #waits: { port: number; should: number }[][] = [[], []];
  readonly wrong: string[] = [];
  #number = 0;
  came = 0;
  constructor(rack: RunningRack) {
    this.#rack = rack;
    for (const n of [0, 1]) rack.endpoint(`sink${n}`).onFrame = frame => this.#took(n, frame);
  }
  send(n: number, port: number): void {
    const key = `${n}.${port}`;
    this.#waits[n]?.push({ port, should: this.#kept.get(key) ?? 0 });
    this.#kept.set(key, ++this.#number);
    this.#rack.endpoint(`source${n}`).jack.send(datagram(n, port, this.#number));
  }
  #took(n: number, frame: Uint8Array): void {
    const view = new DataView(frame.buffer, frame.byteOffset),
      was = view.getUint16(numberAt),
      port = view.getUint16(36),
      next = this.#waits[n]?.shift();
    this.came++;
    if (next?.port !== port || next.should !== was)
      this.wrong.push(`sNIC ${n}, port ${port}: ${was}, not ${next?.should} of ${next?.port}`);
  }
  get outside(): number {
    return this.#waits.flat().length;
  }
}
const begin = async (rack: RunningRack): Promise<readonly PeerSoftware[]> => {
  const made = rack.devices.map(d => peersOf(d, rack.devices, { boot: 1, period, quiet, rackKey }));
  for (const s of made) s.start();
  const there = (): boolean => made.every(s => s.neighbours.every(n => n.presence === "there"));
  for (let i = 0; !there() && i < 20; i++) await rack.clockwork.pause(period);
  return made;
};

// Two whole devices of their own are built for it: MNEMO_LONG=1 runs it.
describe.skipIf(process.env["MNEMO_LONG"] !== "1")("pages of one sNIC's task in the other's memory", () => {
  it("go and come both ways at once; what a task reads is what it wrote, and in the end all pages are back", () =>
    withRack(
      plan,
      {
        seed: 1,
        build: { bitstreams: [["dummy"]], taskOf },
        device: () => ({
          isManaged: true,
          models: { exchange: exchangeModel },
          memory: { frames: 4, elsewhere: 300, aside: 6 },
        }),
      },
      async rack => {
        const software = await begin(rack),
          keepers = new Keepers(rack);
        for (let round = 0; round < 2; round++) for (const port of ports) for (const n of [0, 1]) keepers.send(n, port);
        for (let i = 0; keepers.outside > 0 && i < 100; i++) await rack.clockwork.pause(period);
        expect([keepers.outside, keepers.wrong]).toEqual([0, []]);
        expect(keepers.came).toBe(4 * ports.length);
        for (const [n, { device }] of rack.devices.entries()) {
          const own = software[n],
            peer = software[1 - n],
            { memory } = device;
          expect(own?.pages.counts).toMatchObject({ lost: 0, lies: 0, late: 0, refused: 0 });
          expect(own?.pages.counts.out).toBeGreaterThan(2);
          expect(own?.pages.counts.in).toBeGreaterThan(1);
          for (const space of memory?.manager.spaces ?? []) await memory?.manager.destroy(space);
          await rack.clockwork.pause(2 * period);
          expect([peer?.kept.keptOf(n), own?.pages.outside, memory?.manager.moving]).toEqual([[], 0, 0]);
        }
        for (const s of software) s.stop();
        await rack.clockwork.pause(period);
        expect(software.map(s => s.failed).filter(e => e !== undefined)).toEqual([]);
        expect((await rack.finish()).problems).toEqual([]);
      },
    ));
});
