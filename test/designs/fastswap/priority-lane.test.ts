import { describe, expect, it } from "vitest";
import { PriorityLane, type PriorityLaneParameters } from "../../../designs/fastswap/rtl/index.ts";
import { udpFrame } from "../../../designs/shared/wire/index.ts";
import { AxisSink, AxisSource, bernoulli, EthernetMac, never, type Random, runBench } from "../../../sim/index.ts";
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
  const flipped = (at: number, bit: number): Uint8Array => changed(frame, at, (frame[at] as number) ^ (1 << bit));
  switch (random.between(0, 5)) {
    // One bit of what makes it UDP over IPv4 without options: its type, version and length, flags and place, protocol.
    case 0: {
      const at = random.pick([12, 13, 14, 20, 21, 23]);
      // Of the flags only the one that says that more fragments follow; the five bits below are the place's.
      return { frame: flipped(at, random.below(at === 20 ? 6 : 8)), bulk: false };
    }
    // The other flags, and what stands between those fields, say nothing.
    case 1: {
      const at = random.pick([15, 18, 19, 20, 22, 24]);
      return { frame: flipped(at, at === 20 ? random.between(6, 7) : random.below(8)), bulk };
    }
    case 2:
      return { frame: frame.slice(0, 41), bulk };
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

const losing: PriorityLaneParameters = { ...base, criticalDepth: 8, bulkDepth: 16, drops: true };
/** More than leaves comes in: what is not seen at the end has been told as lost, class by class. */
const lossy = (design: Parameters<typeof runBench<ReturnType<typeof PriorityLane>["ports"], void>>[1]) =>
  runBench("priority lane", design, { seed: 4, wave: false, hangCycles: 2000 }, async b => {
    const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx, { pauseTx: bernoulli(0.75, b.seed) }),
      samples = Array.from({ length: 200 }, () => sample(b.random, losing)),
      lost = [0, 0];
    b.onEdge({
      sample: () => {
        for (const k of [0, 1] as const) lost[k] = (lost[k] as number) + ((b.io.lost.value >> k) & 1);
      },
    });
    for (const s of samples) mac.send(s.frame);
    await mac.drained();
    await b.cycles(400);
    const key = (f: Uint8Array): string => Buffer.from(f).toString("hex"),
      left = new Set(mac.received.map(f => key(f.bytes)));
    for (const bulk of [false, true]) {
      const missing = samples.filter(s => s.bulk === bulk && !left.has(key(s.frame))).length;
      expect(missing, bulk ? "bulk frames" : "critical frames").toBe(lost[bulk ? 1 : 0]);
      expect(missing, "frames that are lost").toBeGreaterThan(10);
    }
  });

describe("PriorityLane", () => {
  it.each([
    ["from clients", base],
    ["to clients", { ...base, clientIs: "destination" }],
    ["by another bit", { ...base, classBit: 9 }],
  ] as const)("%s: each frame in its class, whole, in order", (_name, p) => traffic(PriorityLane(p), p));

  it("a full queue loses frames of its class, and says so; all others leave", () => lossy(PriorityLane(losing)));
  it("resets in the midst of frames: those behind have their own class", () =>
    runBench("priority lane", PriorityLane(base), { seed: 5, wave: false, hangCycles: 2000 }, async b => {
      const source = new AxisSource(b.sim, b.io.rx, { pause: bernoulli(0.2, 5) }),
        sink = new AxisSink(b.sim, b.io.tx);
      for (let life = 0; life < 40; life++) {
        for (let i = 0; i < 4; i++) source.send(sample(b.random, base).frame);
        await b.cycles(b.random.between(1, 40));
        // Whoever takes the frames stops between two.
        sink.pause = () => !sink.monitor.inFrame;
        await b.until(() => !sink.monitor.inFrame);
        await b.cycles(2);
        source.forget();
        b.sim.reset(1);
        sink.pause = never;
        sink.frames.length = 0;
        // A critical frame and a bulk one, each whole before the next one is: in the order of their coming.
        const of = (port: number): Uint8Array =>
            udpFrame({ ...client, port }, node, b.random.bytes(b.random.between(60, 200))),
          frames = b.random.chance() ? [of(2000), of(2001)] : [of(2001), of(2000)];
        for (const f of frames) source.send(f);
        await b.until(() => sink.frames.length === 2);
        expect(sink.frames.map(f => Array.from(f.bytes))).toEqual(frames.map(f => Array.from(f)));
      }
    }));

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
    ["later fragments are read as ports", /\| \(\|\{?[^|]*?\[175:168\]\}?\)/, ""],
  ])("a planted fault is found: %s", (_what, from, to) =>
    findsFault(traffic(plant(PriorityLane(base), from, to), base)),
  );
});
