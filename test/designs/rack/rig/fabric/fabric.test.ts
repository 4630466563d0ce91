/** Lines, switches, endpoints, and the one time of several benches: small, without a sNIC or node. */
import { describe, expect, it } from "vitest";
import { module, output, reg, uint } from "../../../../../hdl-dsl/index.ts";
import { Clockwork, type Member } from "../../../../../designs/rack/rig/fabric/clockwork.ts";
import { RackEndpoint } from "../../../../../designs/rack/rig/fabric/endpoint.ts";
import { Jack } from "../../../../../designs/rack/rig/fabric/jack.ts";
import { Line } from "../../../../../designs/rack/rig/fabric/line.ts";
import { RackSwitch } from "../../../../../designs/rack/rig/fabric/switch.ts";
import { encode, ethernetHeader, padFrame } from "../../../../../designs/shared/wire/index.ts";
import { macControlAddress, takeApart } from "../../../../../designs/supernic/wire/index.ts";
import { type Bench, Random, runBench, SimulatedTime } from "../../../../../sim/index.ts";

const counter = module(
  "Counter",
  () => ({ count: output(uint(16)) }),
  io => {
    const count = reg(uint(16), { init: 0 });
    count.set(count.add(1));
    io.count.set(count);
  },
)();
const frameTo = (dst: bigint, bytes = 60): Uint8Array => {
  const out = new Uint8Array(bytes);
  out.set(padFrame(encode(ethernetHeader, { dst, src: 0x02_00_00_00_00_01n, etherType: 0x0800 })));
  return out;
};

interface Counting extends Member {
  bench: Bench | undefined;
  from: number;
}
function counting(name: string, wait: number): Counting {
  const member: Counting = {
    name,
    bench: undefined,
    from: 0,
    run: join =>
      runBench(name, counter, { wave: false, limitCycles: 100_000 }, bench => {
        // Members begin their common time at different cycles of their own.
        return bench.cycles(wait).then(() => {
          member.bench = bench;
          member.from = bench.cycle;
          return join(member.bench, () => bench.cycles(wait).then(() => () => undefined));
        });
      }),
  };
  return member;
}
const cycleOf = ({ bench, from }: Counting): number => (bench?.cycle ?? 0) - from;

describe.each([1, 7, 50])("several benches in one time, lines of %i cycles", lookahead => {
  const latencyNs = lookahead * 4;
  /** What arrived at each end of a line between two members, in its own time. */
  async function crossed(sends: number) {
    const members = [counting("a", 3), counting("b", 17), counting("c", 5)],
      seen: { readonly at: number; readonly due: number }[] = [];
    let apart = 0,
      sent = 0;
    await Clockwork.run(
      3,
      clockwork => {
        const times = clockwork.times.slice(1),
          due = new Map<Uint8Array, number>();
        const jacks = times.map((time, i) => {
          const jack: Jack = new Jack(`jack ${i}`, time, frame => {
            seen.push({ at: time.now(), due: due.get(frame) ?? Number.NaN });
            apart = Math.max(apart, ...members.map(cycleOf).flatMap((x, _, all) => all.map(y => Math.abs(x - y))));
            post(jack, time);
          });
          return jack;
        }) as [Jack, Jack];
        // A frame of 60 bytes takes 84 at 100 Gbit/s.
        const post = (jack: Jack, time: SimulatedTime): void => {
          if (sent >= sends) return;
          const frame = frameTo(BigInt(sent++));
          due.set(frame, Math.ceil((time.now() + (84 * 8) / 100 + latencyNs) / 4) * 4);
          jack.send(frame);
        };
        new Line(jacks, { random: new Random(1) }, { latencyNs });
        for (const [i, time] of times.entries()) time.after(40 + 4 * i, () => post(jacks[i] as Jack, time));
        return { members, lookahead };
      },
      clockwork => clockwork.pause(sends * (latencyNs + 100)),
    );
    return { seen, apart };
  }

  it("a frame arrives in its cycle, at every member; none is further ahead than the line is long", async () => {
    const { seen, apart } = await crossed(40);
    expect(seen).toHaveLength(40);
    expect(seen.map(s => s.at)).toEqual(seen.map(s => s.due));
    expect(apart).toBeGreaterThan(0);
    expect(apart).toBeLessThanOrEqual(lookahead);
  });
});

it("a line that is shorter than the lookahead is refused, and not late", async () => {
  const members = [counting("a", 3), counting("b", 4)];
  const run = Clockwork.run(
    2,
    clockwork => {
      const [from, to] = clockwork.times as [SimulatedTime, SimulatedTime],
        jacks: readonly [Jack, Jack] = [new Jack("from", from, () => undefined), new Jack("to", to, () => undefined)];
      new Line(jacks, { random: new Random(1) }, { latencyNs: 4 });
      // Whoever is behind sends to the one that is ahead.
      for (const [i, time] of clockwork.times.entries())
        for (let ns = 200; ns < 4000; ns += 4) time.after(ns, () => jacks[i as 0 | 1].send(frameTo(1n)));
      return { members, lookahead: 100 };
    },
    clockwork => clockwork.pause(4000),
  );
  await expect(run).rejects.toThrow(/give its line more latency/);
});

it("a member that fails ends the run with its error", async () => {
  const failing: Member = {
    name: "failing",
    run: join =>
      runBench("failing", counter, { wave: false, limitCycles: 300 }, bench =>
        join(bench, () => Promise.resolve(() => undefined)),
      ),
  };
  const run = Clockwork.run(
    2,
    () => ({ members: [counting("a", 1), failing], lookahead: 4 }),
    c => c.pause(1e6),
  );
  await expect(run).rejects.toThrow(/has not ended after 300 cycles/);
});

it("a member that is not built ends those that have begun", async () => {
  const broken: Member = { name: "broken", run: () => Promise.reject(new Error("it cannot be built")) },
    first = counting("a", 1);
  const run = Clockwork.run(
    3,
    () => ({ members: [first, broken, counting("c", 1)], lookahead: 4 }),
    c => c.pause(1e6),
  );
  await expect(run).rejects.toThrow("it cannot be built");
});

describe("the switch", () => {
  const known = 0x02_00_00_00_00_11n,
    time = new SimulatedTime();
  const rig = () => {
    const tor = new RackSwitch(
        { name: "tor", ports: 4, latencyNs: 500, table: new Map([[known, 2]]), blocked: new Set([3]) },
        time,
      ),
      left: number[] = [];
    for (const [port, jack] of tor.jacks.entries()) jack.plug(() => void left.push(port));
    const passes = async (from: number, dst: bigint, damaged = false): Promise<readonly number[]> => {
      left.length = 0;
      tor.jacks[from]?.arrive(frameTo(dst), damaged);
      await time.run(new Promise<void>(r => void time.after(1000, r)));
      return [...left].sort();
    };
    return { tor, passes };
  };
  it("forwards by its table, 500 ns later, and to all open ports for a group", async () => {
    const { tor, passes } = rig();
    expect(await passes(0, known)).toEqual([2]);
    expect(await passes(0, 0xffff_ffff_ffffn)).toEqual([1, 2]);
    expect(tor.counts).toEqual({ in: 2, forwarded: 3, damaged: 0, unknown: 0, control: 0, full: 0, pauses: 0 });
  });
  it("drops what it does not know, what is damaged, MAC control, a group at a closed port, and what would go back", async () => {
    const { tor, passes } = rig();
    expect(await passes(0, 5n << 8n)).toEqual([]);
    expect(await passes(0, known, true)).toEqual([]);
    expect(await passes(0, macControlAddress)).toEqual([]);
    expect(await passes(3, 0xffff_ffff_ffffn)).toEqual([]);
    expect(await passes(2, known)).toEqual([]);
    expect(tor.counts).toEqual({ in: 5, forwarded: 0, damaged: 1, unknown: 3, control: 1, full: 0, pauses: 0 });
    expect(tor.inside).toBe(0);
  });
});

describe("an endpoint", () => {
  const own = { name: "host", mac: 0x02_00_00_00_00_21n, ip: 0x0a_01_00_01 },
    other = { mac: 0x02_00_00_00_00_22n, ip: 0x0a_01_00_02 },
    neighbours = new Map([[other.ip, other.mac]]);
  const rig = (uid?: number) => {
    const endpoint = new RackEndpoint({ ...own, uid, neighbours }, new SimulatedTime()),
      sent: Uint8Array[] = [];
    endpoint.jack.plug(f => void sent.push(f));
    const got: Uint8Array[] = [],
      transport = endpoint.transport(40_000);
    transport.receive((_, payload) => void got.push(payload));
    return { endpoint, sent, got, transport };
  };
  const message = Uint8Array.from({ length: 100 }, (_, i) => i);

  it("puts a shim on, with its DAG's UID, and only then", () => {
    const plain = rig(),
      shimmed = rig(0x0401);
    for (const r of [plain, shimmed]) r.transport.send({ ip: other.ip, port: 1234 }, message);
    const [a = new Uint8Array(), b = new Uint8Array()] = [plain.sent[0], shimmed.sent[0]],
      apart = takeApart(b);
    expect(apart.snic).toMatchObject({ uid: 0x0401, kind: 1, ttl: 4 });
    expect([b.length, apart.frame]).toEqual([a.length + 8, a]);
    expect(takeApart(a).snic).toBeUndefined();
  });
  it("takes a shim off, and tells what is not its own", () => {
    const { sent, transport } = rig(0x0401);
    transport.send({ ip: other.ip, port: 40_000 }, message);
    const peer = new RackEndpoint({ ...other, name: "peer", neighbours }, new SimulatedTime()),
      got: Uint8Array[] = [];
    peer.transport(40_000).receive((_, payload) => void got.push(payload));
    for (const f of sent) peer.jack.arrive(f, false);
    peer.jack.arrive(frameTo(own.mac), false);
    peer.jack.arrive(frameTo(own.mac), true);
    peer.jack.arrive(frameTo(other.mac), false);
    expect(got).toEqual([message]);
    expect(peer.counts).toEqual({ taken: 1, unclaimed: 1, foreign: 1, damaged: 1, pauses: 0 });
  });
  it("refuses to send to who is not there", () =>
    expect(() => rig().transport.send({ ip: 1, port: 1 }, message)).toThrow(
      "host: the rack has no station with the address 0.0.0.1; add it",
    ));
});
