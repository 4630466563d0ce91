/** What an endpoint sends, and when: at the line's rate, and not while a class is paused that a frame may have. */
import { describe, expect, it } from "vitest";
import { classesAt, Jack, Line, RackEndpoint, SendQueue } from "../../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import { pfcFrame, pfcQuantumBits, putShims, snicKind } from "../../../../../designs/supernic/wire/index.ts";
import { Random, SimulatedTime } from "../../../../../sim/index.ts";
import { faulty } from "./support/faulty.ts";

const latencyNs = 100,
  cycle = 4,
  /** What the line may have been given when a pause comes, ns: the frame under way comes on top. */
  ahead = 40;
/** The first byte says which classes it may have, then comes its number. */
const frameOf = (classes: number, number: number, bytes: number): Uint8Array => {
  const frame = new Uint8Array(bytes);
  new DataView(frame.buffer).setUint32(4, number);
  frame[0] = classes;
  return frame;
};
const classesOf = (frame: Uint8Array): number => frame[0] ?? 0,
  numberOf = (frame: Uint8Array): number => new DataView(frame.buffer).getUint32(4);

/** A sender with a line, and the ledger of what it may do. */
class Sender {
  now = 0;
  readonly time = new SimulatedTime(() => this.now);
  readonly problems: string[] = [];
  readonly queue: SendQueue;
  readonly jack: Jack;
  /** Numbers that came out of the line. */
  readonly came: number[] = [];
  sent = 0;
  /** By class, when its pause ends. */
  readonly #ends = [0, 0, 0, 0, 0, 0, 0, 0];
  readonly #quantumNs: number;
  readonly #obeys: boolean;
  #waiting: { readonly number: number; readonly classes: number }[] = [];

  constructor(gbps: number, obeys: boolean, Queue: typeof SendQueue) {
    this.#quantumNs = pfcQuantumBits / gbps;
    this.#obeys = obeys;
    this.jack = new Jack("sender", this.time, () => undefined);
    const far = new Jack("far", this.time, frame => void this.came.push(numberOf(frame)));
    new Line([this.jack, far], { random: new Random(1) }, { latencyNs, gbps, queueBytes: 2 ** 30 });
    const { jack } = this,
      send = jack.send.bind(jack);
    jack.send = frame => {
      this.#leaves(frame);
      send(frame);
    };
    this.queue = new Queue(jack, this.time, classesOf, { obeys });
  }
  #mayGo(classes: number): boolean {
    return !this.#obeys || this.#ends.every((e, k) => ((classes >> k) & 1) === 0 || e <= this.now);
  }
  #leaves(frame: Uint8Array): void {
    const { now } = this,
      [next] = this.#waiting.filter(w => this.#mayGo(w.classes));
    if (next?.number !== numberOf(frame))
      this.problems.push(`at ${now} ns ${numberOf(frame)} leaves, and ${next?.number} is due`);
    if (this.jack.freeAt - now > ahead) this.problems.push(`at ${now} ns the line has more than ${ahead} ns ahead`);
    this.#waiting = this.#waiting.filter(w => w.number !== numberOf(frame));
  }
  send(classes: number, bytes: number): void {
    this.#waiting.push({ number: this.sent, classes });
    this.queue.send(frameOf(classes, this.sent++, bytes));
  }
  pause(quanta: Readonly<Record<number, number>>): void {
    for (const [k, n] of Object.entries(quanta)) this.#ends[Number(k)] = this.now + n * this.#quantumNs;
    this.queue.pause(quanta);
  }
  step(): void {
    this.now += cycle;
    this.time.advance();
    if (this.#waiting.some(w => this.#mayGo(w.classes)) && this.jack.freeAt - ahead <= this.now)
      this.problems.push(`at ${this.now} ns the line is idle, and a frame may go`);
    if (this.queue.waiting !== this.#waiting.length) this.problems.push(`it says that ${this.queue.waiting} wait`);
  }
}
/** Random frames of three kinds and random pauses, until all have left. @returns what was wrong */
function judged(seed: number, { gbps = 100, obeys = true, Queue = SendQueue } = {}): readonly string[] {
  const random = new Random(seed),
    s = new Sender(gbps, obeys, Queue);
  for (let i = 0; i < 6000; i++) {
    if (random.chance(0.01))
      for (let n = random.between(1, 8); n > 0; n--) s.send(random.pick([1, 2, 6]), random.between(60, 1500));
    // Some end before they would, some are longer than what is left of the one before; two classes at once, too.
    if (random.chance(0.01)) s.pause({ [random.below(3)]: random.pick([0, 1, 30, 400]), [random.below(3)]: 100 });
    s.step();
  }
  for (let i = 0; i < 50_000 && s.came.length < s.sent; i++) s.step();
  if (s.came.length !== s.sent) s.problems.push(`${s.came.length} of ${s.sent} frames came`);
  return s.problems;
}

describe("the frames of an endpoint", () => {
  it.each([1, 2, 3])("wait for pauses of their classes, exactly as long, and for nothing else (%i)", seed => {
    expect(judged(seed)).toEqual([]);
    expect(judged(seed, { gbps: 25 })).toEqual([]);
  });
  it("of one that ignores pauses wait for the line alone", () => expect(judged(4, { obeys: false })).toEqual([]));
  it("wait for a pause, not for a damaged one, nor for other MAC control", () => {
    const time = new SimulatedTime(() => 0),
      sent: Uint8Array[] = [],
      own = { name: "host", mac: 0x02_00_00_00_00_21n, ip: 0x0a01_0001, neighbours: new Map<number, bigint>() },
      endpoint = new RackEndpoint(own, time),
      snic = 0x02_00_00_00_00_99n;
    endpoint.jack.plug(f => void sent.push(f));
    const pause = pfcFrame(snic, { 4: 100 }),
      other = pause.slice();
    other[14] = 0;
    other[15] = 1;
    endpoint.jack.arrive(pause, true);
    endpoint.jack.arrive(other, false);
    endpoint.send(pfcFrame(snic, {}));
    expect([sent.length, endpoint.counts.pauses]).toEqual([1, 0]);
    endpoint.jack.arrive(pause, false);
    endpoint.send(pfcFrame(snic, {}));
    expect([sent.length, endpoint.waiting, endpoint.counts.pauses]).toEqual([1, 1, 1]);
    endpoint.jack.arrive(pfcFrame(snic, { 3: 0 }), false);
    expect(sent).toHaveLength(1);
    endpoint.jack.arrive(pfcFrame(snic, { 4: 0 }), false);
    expect([sent.length, endpoint.waiting]).toEqual([2, 0]);
    expect(endpoint.counts).toEqual({ taken: 0, unclaimed: 1, foreign: 0, damaged: 1, pauses: 3 });
  });
});

describe("the classes that a frame may have", () => {
  const uids = { mine: 1025, others: 1026 };
  const rack = readRack(
    JSON.stringify({
      devices: [
        {
          name: "snic0",
          set: { ports: 2, regions: 1, slots: 1, users: 3 },
          setup: {
            ...{ mac: "02:5c:00:00:00:01", ip: "10.20.0.1" },
            users: [
              { name: "a", class: 1 },
              { name: "b", class: 2 },
            ],
            regions: [{ chain: "c", tasks: ["dummy"] }],
            dags: [
              { name: "mine", user: "a", uid: uids.mine, ports: [0], stages: [[{ chain: "c" }]] },
              { name: "others", user: "b", uid: uids.others, ports: [1], stages: [[{ chain: "c" }]] },
            ],
            rules: [{ protocol: 17, toPort: 7, ports: [1], action: { dag: "others" } }],
          },
        },
      ],
      nodes: [],
      endpoints: [{ name: "h", mac: "02:10:00:00:00:01", ip: "10.20.1.1", program: { kind: "capture" } }],
      links: [{ between: ["h", "snic0:0"] }],
    }),
    "classes",
  );
  const [device] = rack.devices;
  if (device === undefined) throw new RangeError("there is a sNIC");
  const plain = new Uint8Array(60),
    head = { version: 1, kind: snicKind.data, ttl: 4, stage: 0, origin: 0, ingress: 0, unused: 0, unprocessed: 0 };
  const of = (uid: number): Uint8Array => putShims(plain, { snic: { ...head, uid } });
  it("are its user's, class 4 without a shim, a rule's too, and of an unknown DAG any", () => {
    const [at0, at1] = [classesAt(device.setup, 0), classesAt(device.setup, 1)];
    expect([at0(of(uids.mine)), at0(plain), at1(plain), at1(of(uids.others))]).toEqual([2, 16, 16 + 4, 4]);
    // The DAG does not count at this port; and one that CTRL may have added.
    expect([at0(of(uids.others)), at0(of(1999))]).toEqual([16 + 2 + 4, 16 + 2 + 4]);
    expect(classesAt({ ...device.setup, peers: [{ name: "p", mac: 1n, port: 1, hops: 1 }] }, 0)(of(uids.mine))).toBe(
      16 + 2,
    );
  });
});

describe("planted faults: each is found", () => {
  const faults: readonly (readonly [string, string, string])[] = [
    ["a quantum of 500 bits", "n * pfcQuantumBits", "n * 500"],
    ["the rate of another line", "/ this.#jack.gbps", "/ 100"],
    ["a shorter pause changes nothing", "this.#paused[Number(k)] = now", "this.#paused[Number(k)] ||= now"],
    ["a pause that ends early", "this.#endOf(w.classes) <= now)", "this.#endOf(w.classes) <= now + 200)"],
    ["of two classes the first counts", "Math.max(...bitsOf(classes)", "Math.max(...bitsOf(classes).slice(0, 1)"],
    [
      "one paused class stops all",
      "if (first === undefined || due > now) {",
      "if (this.#paused.some(p => p > now)) return this.#lookAt(Math.max(...this.#paused));\n      if (first === undefined || due > now) {",
    ],
    ["the newest goes first", "numberOf(a) - numberOf(b)", "numberOf(b) - numberOf(a)"],
    ["a wait for the wrong end", "Math.min(...waiting.map", "Math.max(...waiting.map"],
    ["a pause that ends is not seen", "this.#look.at <= at) return;", "this.#look.at >= 0) return;"],
    ["a pause of 0 is none", "of Object.entries(quanta)) ", "of Object.entries(quanta)) if (n > 0) "],
    ["all of it on the line at once", "this.#jack.freeAt - ahead", "this.#jack.freeAt - 2000"],
  ];
  it.each(faults)("%s", async (_, from, to) => {
    const { SendQueue: Queue } = (await faulty("send-queue.ts", "send-queue.ts", from, to)) as {
      SendQueue: typeof SendQueue;
    };
    const finds = (seed: number): boolean => [25, 100].some(gbps => judged(seed, { gbps, Queue }).length > 0);
    expect([1, 2, 3].some(finds)).toBe(true);
  });
});
