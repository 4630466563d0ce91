import { beforeEach, describe, expect, it } from "vitest";
import { type DeviceCounts, DeviceScoreboard, matchReasons } from "../../../../../designs/supernic/model/index.ts";
import { type Setup, taskWords } from "../../../../../designs/supernic/software/index.ts";
import { putShims, refusals } from "../../../../../designs/supernic/wire/index.ts";
import { filler, shim, station, udp, uidOf } from "../../../../../designs/supernic/workload/index.ts";
import { Random } from "../../../../../sim/index.ts";
import { demo } from "../../support/demo.ts";
import { type Left, ObedientDevice } from "./support/obedient-device.ts";

const alice = station("alice"),
  bob = station("bob"),
  web1 = station("web1"),
  outside = { mac: station("router").mac, ip: 0xcb00_7109 };
const through = (dag: Parameters<typeof uidOf>[0], frame: Uint8Array): Uint8Array =>
  putShims(frame, { snic: shim(uidOf(dag)) });

/** A frame of one of several kinds. */
function frame(random: Random): { readonly port: number; readonly bytes: Uint8Array; readonly damaged: boolean } {
  const ports = { from: 5000 + random.below(40), to: 80 },
    data = filler(random.between(20, 400));
  data.set([random.below(256), random.below(256), random.below(256), random.below(256)]);
  const kinds = [
    () => ({ port: 0, bytes: through("out", udp(alice, outside, ports, data)) }),
    () => ({ port: 0, bytes: through("web", udp(bob, web1, ports, data)) }),
    () => ({ port: 1, bytes: through("web", udp(web1, bob, ports, data)) }),
    () => ({ port: 0, bytes: through("both", udp(bob, web1, ports, data)) }),
    () => ({ port: 0, bytes: udp(alice, web1, ports, data) }),
    () => ({ port: 1, bytes: udp(web1, { mac: 0xffff_ffff_ffffn, ip: 0xffff_ffff }, ports, data) }),
    () => ({ port: 0, bytes: through("round", udp(bob, outside, ports, data)) }),
    () => ({ port: 0, bytes: through("tagged", udp(alice, web1, ports, data)) }),
    () => ({ port: 0, bytes: udp(alice, bob, ports, data) }),
    () => ({ port: 0, bytes: through("out", udp(alice, { ...outside, ip: 0xcb00_7142 }, ports, data)) }),
  ];
  return { damaged: random.below(30) === 0, ...kinds[random.below(kinds.length)]!() };
}

/** A run of the obedient device: what it gives out is changed by `fault` before the scoreboard sees it. */
function run(
  seed: number,
  fault: (out: Left[], random: Random) => void = () => undefined,
  counted: (c: DeviceCounts) => DeviceCounts = c => c,
  setup: Setup = demo(),
): readonly string[] {
  const random = new Random(seed),
    board = new DeviceScoreboard(setup),
    device = new ObedientDevice(setup, random.fork("device"));
  for (let i = 0; i < 200; i++) {
    const f = frame(random);
    board.enter(f.port, f.bytes, f.damaged);
    device.enter(f.port, f.bytes, f.damaged);
  }
  const out = device.drain();
  fault(out, random);
  for (const { port, bytes } of out) board.leave(port, bytes);
  return board.finish(counted(device.counts()));
}
/** The place in the list of a frame of which another one of the same flow and port comes behind. */
function pairOfAFlow(out: readonly Left[]): readonly [number, number] {
  for (const [i, a] of out.entries()) {
    const k = out.findIndex((b, n) => n > i && b.port === a.port && a.flow !== undefined && b.flow === a.flow);
    if (k > i) return [i, k];
  }
  throw new Error("no flow has two frames");
}

describe("a device that does what it must", () => {
  it.each([1, 2, 3, 4, 5])("is right, whatever the order of flows (seed %i)", seed => {
    expect(run(seed)).toEqual([]);
  });
  it("is right when a set of the NAT is full: who came first is served", () => {
    // 4,096 bindings are not enough for these; the ways of single sets are.
    const setup = demo(),
      random = new Random(9),
      board = new DeviceScoreboard(setup),
      device = new ObedientDevice(setup, random.fork("device"));
    for (let i = 0; i < 3000; i++) {
      const bytes = through("out", udp(alice, outside, { from: 1024 + i * 7, to: 80 }, filler(20)));
      board.enter(0, bytes);
      device.enter(0, bytes);
    }
    for (const { port, bytes } of device.drain()) board.leave(port, bytes);
    expect(board.finish(device.counts())).toEqual([]);
    const counts = device.counts();
    expect(counts.slots[0]?.[1]?.dropped).toBeGreaterThan(0);
    expect(board.nat.bound).toBe(3000 - (counts.slots[0]?.[1]?.dropped ?? 0));
    expect(taskWords("nat", setup)).toHaveLength(1);
  });
});

describe("a device with a fault is found:", () => {
  let seed = 0;
  beforeEach(() => {
    seed++;
  });
  const found = (what: RegExp, fault: (out: Left[], random: Random) => void): void => {
    const problems = run(seed, fault);
    expect(
      problems.some(p => what.test(p)),
      problems.join("\n"),
    ).toBe(true);
  };

  it("a byte of a frame is another", () =>
    found(/has 0x.. at byte \d+; it must be 0x../, (out, random) => {
      const victim = out[random.below(out.length)]!;
      const at = random.below(victim.bytes.length);
      victim.bytes[at] = victim.bytes[at]! ^ 0x10;
    }));
  it("the last byte is cut off", () =>
    found(/has \d+ bytes; it must have \d+/, out => {
      const victim = out.find(o => o.bytes.length > 60)!;
      victim.bytes = victim.bytes.slice(0, -1);
    }));
  it("a zero more at the end", () =>
    found(/has \d+ bytes; it must have \d+/, out => {
      const victim = out.find(o => o.bytes.length > 60)!;
      victim.bytes = Uint8Array.of(...victim.bytes, 0);
    }));
  it("two frames of a flow change places", () =>
    found(/left behind frame \d+ of its flow/, out => {
      const [a, b] = pairOfAFlow(out);
      [out[a], out[b]] = [out[b]!, out[a]!];
    }));
  it("a frame is lost", () => found(/1 frames are lost, and counters tell of 0/, out => void out.splice(5, 1)));
  it("the very last one is lost", () => found(/1 frames are lost/, out => void out.pop()));
  it("a frame comes twice, much later", () => found(/left a second time/, out => void out.push({ ...out[3]! })));
  it("it leaves by another port", () =>
    found(/left here; it must leave by port \d/, out => {
      const victim = out.find(o => o.port === 3)!;
      victim.port = 0;
    }));
  it("one copy of a broadcast is missing", () =>
    found(/1 frames are lost/, out => {
      out.splice(
        out.findIndex(o => o.port === 3 && o.bytes[0] === 0xff),
        1,
      );
    }));
  it("two users' frames change their bytes", () =>
    found(/left here|second time|behind frame|none like it/, out => {
      const a = out.find(o => o.port === 1)!,
        b = out.find(o => o.port === 3)!;
      [a.bytes, b.bytes] = [b.bytes, a.bytes];
    }));
  it("a dropped packet leaves after all", () =>
    found(/none like it is due|has 0x/, out => {
      out.push({
        port: 3,
        bytes: udp(alice, { ...outside, ip: 0xcb00_7142 }, { from: 9, to: 80 }, filler(64)),
        flow: undefined,
      });
    }));
  it("a flow's second packet gets another port of the NAT", () => {
    const setup = demo(),
      board = new DeviceScoreboard(setup),
      device = new ObedientDevice(setup, new Random(1)),
      bytes = [20, 30].map(n => through("out", udp(alice, outside, { from: 5000, to: 80 }, filler(n))));
    for (const b of bytes) {
      board.enter(0, b);
      device.enter(0, b);
    }
    const out = device.drain();
    // The next way of the same set.
    out[1]!.bytes[35] = out[1]!.bytes[35]! ^ 1;
    for (const o of out) board.leave(o.port, o.bytes);
    expect(board.problems).toEqual([expect.stringMatching(/frame 2 has 0x.. at byte \d+; it must be 0x../)]);
  });
  it("two flows share a port of the NAT", () => {
    const setup = demo(),
      board = new DeviceScoreboard(setup),
      flow = (from: number): Uint8Array => through("out", udp(alice, outside, { from, to: 80 }, filler(20))),
      first = new ObedientDevice(setup, new Random(1)),
      second = new ObedientDevice(setup, new Random(1));
    // Two flows of one set, each by itself the first that its NAT sees.
    const [a, b] = flowsOfASet();
    for (const [device, from] of [[first, a] as const, [second, b] as const]) {
      device.enter(0, flow(from));
      board.enter(0, flow(from));
    }
    for (const o of [...first.drain(), ...second.drain()]) board.leave(o.port, o.bytes);
    expect(board.problems).toEqual([expect.stringMatching(/frame 2 has|none like it|second time/)]);
  });
});

describe("a counter with a fault is found:", () => {
  const found = (what: RegExp, counted: (c: DeviceCounts) => DeviceCounts): void => {
    const problems = run(77, undefined, counted);
    expect(
      problems.some(p => what.test(p)),
      problems.join("\n"),
    ).toBe(true);
  };
  it("a frame is refused for another reason", () =>
    found(/port 0: counter refused.fcs is \d+; it must be \d+/, c => ({
      ...c,
      ports: c.ports.map((p, i) =>
        i === 0 ? { ...p, refused: { ...p.refused, fcs: p.refused.fcs - 1, long: p.refused.long + 1 } } : p,
      ),
    })));
  it("and at another port", () =>
    found(/port 1: counter refused.fcs/, c => ({
      ...c,
      ports: c.ports.map((p, i) => (i === 1 ? { ...p, refused: { ...p.refused, fcs: p.refused.fcs + 1 } } : p)),
    })));
  it.each(matchReasons)("match and action: %s", reason =>
    found(new RegExp(`matched.${reason} is`), c => ({
      ...c,
      ports: c.ports.map((p, i) =>
        i === 0 ? { ...p, matched: { ...p.matched, [reason]: p.matched[reason] + 1 } } : p,
      ),
    })),
  );
  it.each(refusals)("refused: %s", reason =>
    found(new RegExp(`refused.${reason} is`), c => ({
      ...c,
      ports: c.ports.map((p, i) =>
        i === 3 ? { ...p, refused: { ...p.refused, [reason]: p.refused[reason] + 1 } } : p,
      ),
    })),
  );
  it("a drop for want of room that was none", () =>
    found(/counters tell of 1 frames/, c => ({
      ...c,
      ports: c.ports.map((p, i) => (i === 0 ? { ...p, room: 1 } : p)),
    })));
  it("a task took one more", () =>
    found(/counter took is/, c => ({
      ...c,
      slots: c.slots.map((r, i) => r.map((s, k) => (i === 1 && k === 1 ? { ...s, took: s.took + 1 } : s))),
    })));
  it("a task's packet was killed", () =>
    found(/counter killed is 1; it must be 0/, c => ({
      ...c,
      slots: c.slots.map((r, i) => r.map(s => (i === 2 ? { ...s, killed: 1 } : s))),
    })));
  it("a third pass is not counted", () =>
    found(/counter again is/, c => ({ ...c, egress: { ...c.egress, again: 0 } })));
  it("a frame that left is not", () =>
    found(/counter out is/, c => ({ ...c, ports: c.ports.map((p, i) => (i === 1 ? { ...p, out: p.out - 1 } : p)) })));
});
describe("a frame that had no room", () => {
  it("is lost, and a counter says so", () => {
    expect(
      run(
        5,
        out =>
          void out.splice(
            out.findIndex(o => o.port === 1 && o.bytes[0] !== 0xff),
            1,
          ),
        c => ({
          ...c,
          ports: c.ports.map((p, i) => (i === 0 ? { ...p, room: 1 } : i === 1 ? { ...p, out: p.out - 1 } : p)),
        }),
      ),
    ).toEqual([]);
  });
});

/** Source ports of two flows that the NAT keeps in one set. */
function flowsOfASet(): readonly [number, number] {
  const seen = new Map<number, number>();
  for (let from = 1024; ; from++) {
    const device = new ObedientDevice(demo(), new Random(1));
    device.enter(0, through("out", udp(alice, outside, { from, to: 80 }, filler(20))));
    const [left] = device.drain(),
      port = left!.bytes[34]! * 256 + left!.bytes[35]!,
      before = seen.get(port >> 2);
    if (before !== undefined) return [before, from];
    seen.set(port >> 2, from);
  }
}
