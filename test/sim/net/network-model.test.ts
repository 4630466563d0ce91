import { describe, expect, test } from "vitest";
import { LEAST_FRAME, LINE_OVERHEAD, type LinkOptions, NetworkModel, SimulatedTime } from "../../../sim/index.ts";

const mac = (n: number): bigint => 0x02_0000_0000_00n + BigInt(n);
function frame(to: bigint, length: number, fill = 0): Uint8Array {
  const f = new Uint8Array(length).fill(fill);
  for (let i = 0; i < 6; i++) f[i] = Number((to >> BigInt(8 * (5 - i))) & 0xffn);
  return f;
}
interface Arrival {
  readonly at: number;
  readonly frame: Uint8Array;
  readonly damaged: boolean;
}

/** Stations 0 to n-1 and what arrives at each. */
function network(stations: number, link: LinkOptions, seed = 1) {
  const time = new SimulatedTime(),
    model = new NetworkModel(time, { seed, link });
  const arrivals: Arrival[][] = Array.from({ length: stations }, () => []);
  const ports = arrivals.map((a, i) =>
    model.attach(`s${i}`, {
      mac: mac(i),
      receive: (f, damaged) => {
        a.push({ at: time.now(), frame: f, damaged });
      },
    }),
  );
  const wait = (ns: number): Promise<void> =>
    time.run(
      new Promise<void>(r => {
        time.after(ns, r);
      }),
    );
  return { time, model, arrivals, ports, wait };
}

describe("network model", () => {
  test("a frame takes its length at the line's rate and the latency, on both links", async () => {
    const n = network(2, { latencyNs: 300, gbps: 8 });
    n.ports[0]!.send(frame(mac(1), 1000));
    await n.wait(10_000);
    // 8 Gbit/s is a byte each ns.
    expect(n.arrivals[1]!.map(a => a.at)).toEqual([2 * (1000 + LINE_OVERHEAD + 300)]);
    n.ports[0]!.send(frame(mac(1), 20));
    await n.wait(10_000);
    expect(n.arrivals[1]![1]!.at).toBe(10_000 + 2 * (LEAST_FRAME + LINE_OVERHEAD + 300));
  });
  test("frames queue for the line, in order, and those that find no room are lost", async () => {
    const n = network(2, { latencyNs: 0, gbps: 8, queueBytes: 5000 });
    for (let i = 0; i < 8; i++) n.ports[0]!.send(frame(mac(1), 1000, i));
    await n.wait(100_000);
    expect(n.arrivals[1]!.map(a => a.frame[20])).toEqual([0, 1, 2, 3]);
    expect(n.arrivals[1]!.map(a => a.at)).toEqual([2048, 3072, 4096, 5120]);
    expect(n.ports[0]!.statistics.out).toMatchObject({ sent: 8, delivered: 4, overflowed: 4, longestQueueNs: 3072 });
  });
  test("passes frames on by MAC: to one, to all, to nobody", async () => {
    const n = network(3, {});
    n.ports[0]!.send(frame(mac(2), 60));
    n.ports[0]!.send(frame(0xffff_ffff_ffffn, 60));
    n.ports[0]!.send(frame(mac(9), 60));
    n.ports[0]!.send(frame(mac(0), 60));
    await n.wait(10_000);
    expect(n.arrivals.map(a => a.length)).toEqual([0, 1, 2]);
    expect(n.model.unknown).toBe(2);
  });

  const many = 20_000,
    each = 0.1;
  const flood = async (link: LinkOptions, seed = 7) => {
    const n = network(2, { latencyNs: 100, gbps: 1000, ...link }, seed);
    for (let i = 0; i < many; i++) {
      const f = frame(mac(1), 64);
      new DataView(f.buffer).setUint32(20, i);
      n.ports[0]!.send(f);
      await n.wait(100);
    }
    await n.wait(1e6);
    return { ...n, ids: n.arrivals[1]!.map(a => new DataView(a.frame.buffer, a.frame.byteOffset).getUint32(20)) };
  };
  /** Within five standard deviations of what the probability says. */
  const about = (count: number, p: number): void =>
    expect(Math.abs(count - many * p)).toBeLessThan(5 * Math.sqrt(many * p * (1 - p)));

  test("loses, doubles, delays and damages as often as asked, on each link by itself", async () => {
    const lost = await flood({ loss: each });
    about(lost.ids.length, (1 - each) ** 2);
    const twice = await flood({ duplicate: each });
    about(twice.ids.length - many, 2 * each + each * each);
    const late = await flood({ reorder: each, reorderNs: 5000 });
    expect(late.ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: many }, (_, i) => i));
    expect(late.ids.filter((id, i) => i > 0 && id < late.ids[i - 1]!).length).toBeGreaterThan(many * each);
    const bad = await flood({ corrupt: each });
    about(bad.arrivals[1]!.filter(a => a.damaged).length, 1 - (1 - each) ** 2);
    const sent = (i: number): Uint8Array => {
      const f = frame(mac(1), 64);
      new DataView(f.buffer).setUint32(20, i);
      return f;
    };
    // An unmarked frame is whole, and a marked one is not (a bit turned round on both links is whole
    // again: hardly ever).
    const whole = bad.arrivals[1]!.map((a, i) => Buffer.compare(a.frame, sent(i)) === 0);
    expect(bad.arrivals[1]!.filter((a, i) => !a.damaged && !whole[i])).toEqual([]);
    expect(bad.arrivals[1]!.filter((a, i) => a.damaged && whole[i]).length).toBeLessThan(5);
    const dropped = await flood({ corrupt: each, dropDamaged: true });
    about(dropped.ids.length, (1 - each) ** 2);
    expect(dropped.model.totals).toMatchObject({
      corrupted: many - dropped.ids.length,
      droppedDamaged: many - dropped.ids.length,
    });
  });
  test("one seed is one run, and another is another", async () => {
    const link = { loss: each, duplicate: each, reorder: each, corrupt: each };
    const seen = async (seed?: number): Promise<string> =>
      (await flood(link, seed)).arrivals[1]!.map(a => [a.at, Buffer.from(a.frame).toString("hex")].join()).join();
    const runs = [await seen(), await seen(), await seen(8)];
    expect(runs[1]).toBe(runs[0]);
    expect(runs[2]).not.toBe(runs[0]);
  });
  test("directions and stations are set one by one", async () => {
    const time = new SimulatedTime(),
      model = new NetworkModel(time, { seed: 1, link: { loss: 1 } });
    let got = 0;
    const a = model.attach("a", {
      mac: mac(1),
      out: { loss: 0 },
      receive: () => {
        got++;
      },
    });
    const b = model.attach("b", {
      mac: mac(2),
      in: { loss: 0 },
      receive: () => {
        got++;
      },
    });
    for (let i = 0; i < 10; i++) {
      a.send(frame(mac(2), 60));
      b.send(frame(mac(1), 60));
    }
    await time.run(
      new Promise<void>(r => {
        time.after(1e6, r);
      }),
    );
    expect(got).toBe(10);
    expect(b.statistics.out).toMatchObject({ sent: 10, lost: 10 });
  });
  test("what cannot be is one sentence", () => {
    const model = new NetworkModel(new SimulatedTime(), { seed: 1 }),
      receive = (): void => undefined;
    model.attach("a", { mac: mac(1), receive });
    expect(() => model.attach("b", { mac: mac(1), receive })).toThrow(
      "station b: the network has a with that MAC; give another",
    );
    expect(() => model.attach("a", { mac: mac(2), receive })).toThrow(
      "station a: the network has a with that name; give another",
    );
    expect(() => model.attach("c", { mac: mac(3), in: { loss: 1.5 }, receive })).toThrow(
      "c, in: loss is 1.5; give a probability from 0 to 1",
    );
    expect(() => model.attach("d", { mac: mac(4), out: { gbps: 0 }, receive })).toThrow(
      "d, out: gbps is 0; give a number above 0",
    );
  });
});

describe("simulated time", () => {
  test("runs to what is due, promises between, and says so when nothing can come any more", async () => {
    const time = new SimulatedTime(),
      log: string[] = [];
    const at = (ns: number): Promise<void> =>
      new Promise(r => {
        time.after(ns, () => {
          log.push(`${time.now()}`);
          r();
        });
      });
    await time.run(
      (async () => {
        await at(10);
        await at(5);
        time
          .after(1, () => {
            log.push("cancelled");
          })
          .cancel();
        await Promise.all([at(3), at(2)]);
      })(),
    );
    expect(log).toEqual(["10", "15", "17", "18"]);
    await expect(time.run(new Promise(() => undefined))).rejects.toThrow(
      "nothing is due at 18 ns, and what was waited for has not come",
    );
    const again = (): void => {
      time.after(10, again);
    };
    again();
    await expect(time.run(new Promise(() => undefined), { limitNs: 100, describe: () => "who waits" })).rejects.toThrow(
      "what was waited for has not come in 100 ns\nwho waits",
    );
  });
  test("follows a clock of another", () => {
    let now = 0,
      done = 0;
    const time = new SimulatedTime(() => now);
    time.after(10, () => {
      done++;
    });
    time.advance();
    now = 10;
    expect([done, time.next]).toEqual([0, 10]);
    time.advance();
    expect([done, time.next]).toEqual([1, Number.POSITIVE_INFINITY]);
  });
});
