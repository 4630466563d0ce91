import { describe, expect, it } from "vitest";
import { PriorityLane, type PriorityLaneParameters } from "../../../designs/fastswap/rtl/index.ts";
import { udpFrame } from "../../../designs/shared/wire/index.ts";
import { bernoulli, EthernetMac, never, type Random, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";

const base: PriorityLaneParameters = {
  classBit: 0,
  clientIs: "source",
  criticalDepth: 64,
  bulkDepth: 128,
  patience: 0,
  drops: false,
};
const client = { mac: 0x02_0000_0000_01n, ip: 0x0a00_0001 },
  node = { mac: 0x02_0000_0000_02n, ip: 0x0a00_0002, port: 1200 };

/** A frame, and the class that it must have: told from its bytes alone, in another way than the hardware does. */
interface Sample {
  readonly frame: Uint8Array;
  readonly bulk: boolean;
}
function sample(random: Random, p: PriorityLaneParameters): Sample {
  const port = random.between(1024, 65_535),
    own = { ...client, port },
    data = random.bytes(random.between(0, 300));
  const frame = p.clientIs === "source" ? udpFrame(own, node, data) : udpFrame(node, own, data);
  const bulk = ((port >> p.classBit) & 1) === 1;
  switch (random.between(0, 9)) {
    case 0:
      return { frame: changed(frame, 12, 0x08, 0x06), bulk: false }; // ARP's number
    case 1:
      return { frame: changed(frame, 14, 0x46), bulk: false }; // IPv4 options
    case 2:
      return { frame: changed(frame, 23, 1), bulk: false }; // ICMP
    case 3:
      return { frame: changed(frame, 14, 0x65), bulk: false }; // another version
    case 4:
      return { frame: frame.slice(0, 41), bulk };
    case 5:
      return { frame: changed(frame, 20, 0x20), bulk: false }; // more fragments
    case 6:
      return { frame: changed(frame, 21, 0x07), bulk: false }; // a later fragment
    default:
      return { frame, bulk };
  }
}
const changed = (frame: Uint8Array, at: number, ...bytes: readonly number[]): Uint8Array => {
  const out = frame.slice();
  out.set(bytes, at);
  return out;
};

/** Random frames; while the receiver stands still for a while, critical ones get in front of bulk ones. */
const traffic = (
  design: Parameters<typeof runBench<ReturnType<typeof PriorityLane>["ports"], void>>[1],
  p: PriorityLaneParameters,
  share = 0.3,
) =>
  runBench("priority lane", design, { seed: 3, wave: false, hangCycles: 2000 }, async b => {
    const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx, {
      pauseRx: share === 0 ? never : bernoulli(share, b.seed),
      pauseTx: share === 0 ? never : bernoulli(0.6, b.seed + 1),
    });
    const samples = Array.from({ length: 300 }, () => sample(b.random, p));
    for (const s of samples) mac.send(s.frame);
    await b.until(() => mac.received.length === samples.length);
    const key = (f: Uint8Array): string => Buffer.from(f).toString("hex");
    const left = mac.received.map(f => key(f.bytes)),
      order = (bulk: boolean): string[] => samples.filter(s => s.bulk === bulk).map(s => key(s.frame));
    for (const bulk of [false, true]) {
      const own = new Set(order(bulk));
      expect(
        left.filter(k => own.has(k)),
        bulk ? "bulk frames" : "critical frames",
      ).toEqual(order(bulk));
    }
    expect(left).not.toEqual(samples.map(s => key(s.frame)));
  });

describe("PriorityLane", () => {
  it.each([
    ["from clients", base],
    ["to clients", { ...base, clientIs: "destination" }],
    ["by another bit", { ...base, classBit: 9 }],
  ] as const)("%s: each frame in its class, whole, in order", (_name, p) => traffic(PriorityLane(p), p));

  it("a lone frame begins to leave 3 cycles after its last beat; frames of a beat follow without a gap", () =>
    runBench("priority lane", PriorityLane(base), { seed: 1, wave: false }, async b => {
      const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx),
        lone = mac.send(udpFrame({ ...client, port: 2000 }, node, new Uint8Array(500)));
      const first = await mac.recv();
      expect(first.start - (lone.end ?? 0)).toBe(3);
      const many = Array.from({ length: 50 }, (_, n) =>
        mac.send(udpFrame({ ...client, port: 2000 + n }, node, new Uint8Array(10))),
      );
      await b.until(() => mac.received.length === 50);
      const ends = mac.received.map(f => f.end);
      expect(Math.max(...ends) - Math.min(...ends)).toBe(49);
      expect(many).toHaveLength(50);
    }));

  it.each([
    ["the class of a beat behind the first is its own", "is_first ? class_here : kept_class", "class_here"],
    ["options are read as ports", "(from_held_data[115:112] == 4'd5)", "(1'b1)"],
    ["every frame begins a class", "is_first <= from_held_last", "is_first <= 1'b1"],
  ])("a planted fault is found: %s", (_what, from, to) =>
    findsFault(traffic(plant(PriorityLane(base), from, to), base)),
  );
});
