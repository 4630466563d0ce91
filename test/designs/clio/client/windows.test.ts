/** cwnd and iwnd of paper 4.4.4. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { CongestionWindow, IncastWindow } from "../../../../designs/clio/client/index.ts";
import { onNetwork } from "./rig.ts";
import { ScriptedNode } from "./scripted-node.ts";

afterEach(() => {
  vi.restoreAllMocks();
});
const settings = { targetNs: 1000, initial: 8, least: 0.01, most: 64 };

describe("congestion window", () => {
  test("one request more for each round trip below the target, a share less above it, once per round trip", () => {
    const w = new CongestionWindow(settings);
    let now = 0;
    for (let i = 0; i < 8; i++) w.answered(500, (now += 100));
    expect(w.size).toBeGreaterThan(8.9);
    expect(w.size).toBeLessThan(9.01);
    const before = w.size;
    w.answered(2000, (now += 1000));
    expect(w.size).toBeCloseTo(before * 0.6, 10);
    w.answered(2000, (now += 10));
    expect(w.size).toBeCloseTo(before * 0.6, 10);
    w.lost(10_000, (now += 5000));
    expect(w.size).toBeCloseTo(before * 0.3, 10);
  });
  test("keeps between its bounds, and comes back from the least", () => {
    const w = new CongestionWindow(settings);
    let now = 0;
    for (let i = 0; i < 100; i++) w.answered(100_000, (now += 1e6));
    expect(w.size).toBe(0.01);
    w.answered(500, (now += 1e6));
    expect(w.size).toBeCloseTo(1.01, 10);
    for (let i = 0; i < 100_000; i++) w.answered(500, (now += 100));
    expect(w.size).toBe(64);
  });
  test("below one it is a pace: 0.1 is one request in 10 round trips", () => {
    const w = new CongestionWindow({ ...settings, initial: 0.1 });
    w.answered(2000, 0);
    expect(w.size).toBeCloseTo(0.06, 10);
    w.sent(1000);
    expect(w.wait(0, 1000)).toBeCloseTo(2000 / 0.06, 6);
    expect(w.wait(0, 1000 + 2000 / 0.06)).toBeCloseTo(0, 6);
    expect(w.wait(1, 1e9)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a client whose node becomes slow", () => {
  test("falls below one request, sends at the pace of its window, and recovers", async () => {
    const n = new ScriptedNode({ timeoutNs: 100_000, targetDelayNs: 2000 });
    const t = n.client.process(1, n.address).thread(),
      cwnd = (): number => n.client.windows.congestion.get("168427521:1200") ?? 0;
    let out = 0,
      most = 0,
      delay = 20_000;
    n.answers = () => {
      most = Math.max(most, ++out);
      n.time.after(delay, () => {
        out--;
      });
      return [{ afterNs: delay }];
    };
    const flood = (requests: number): Promise<unknown> => {
      const all = Array.from({ length: requests }, (_, i) => t.rreadAsync(BigInt(i) << 22n, 64));
      return n.time.run(t.rpoll(all));
    };
    await flood(60);
    expect(most).toBeLessThanOrEqual(16);
    expect(cwnd()).toBeLessThan(0.2);
    // Pace: with the window w and round trips of r, requests are r / w apart.
    n.asked.length = 0;
    await flood(3);
    const gaps = n.asked.slice(1).map((a, i) => a.atNs - (n.asked[i]?.atNs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(5 * delay);
    delay = 1000;
    most = 0;
    await flood(100);
    expect(cwnd()).toBeGreaterThan(5);
    expect(most).toBeGreaterThan(4);
  });

  test("sixteen clients into one slow line: windows below one, and hardly a frame more is lost once they are there", () =>
    onNetwork(
      {
        clients: 16,
        client: { timeoutNs: 200_000, targetDelayNs: 20_000 },
        node: { in: { gbps: 0.5, queueBytes: 40_000 } },
        limitNs: 1e10,
      },
      async ({ clients, address, node }) => {
        const pid = (await clients[0]!.createProcess(address)).pid,
          threads = clients.map(c => c.process(pid, address).thread());
        const va = await threads[0]!.ralloc(1 << 26),
          data = new Uint8Array(1400);
        const round = (n: number): Promise<unknown> =>
          Promise.all(
            threads.map(async (t, i) => {
              for (let k = 0; k < n; k++)
                t.rwriteAsync(va + (BigInt(i % 16) << 22n), data).result.catch(() => undefined);
              await t.rrelease().catch(() => undefined);
            }),
          );
        await round(40);
        const least = Math.min(...clients.map(c => [...c.windows.congestion.values()][0] ?? 1)),
          before = node.attachment.statistics.in;
        expect(least).toBeLessThan(1);
        await round(40);
        const after = node.attachment.statistics.in;
        expect((after.overflowed - before.overflowed) / (after.sent - before.sent)).toBeLessThan(0.02);
      },
    ));
});

describe("incast window", () => {
  test("who finds no room waits in line, and small replies do not pass a large one", () => {
    const w = new IncastWindow<string>(1000);
    expect(w.admits("a", 900)).toBe(true);
    w.take(900);
    expect(w.admits("b", 500)).toBe(false);
    expect(w.admits("c", 50)).toBe(false);
    w.release(900);
    expect(w.admits("c", 50)).toBe(false);
    expect(w.admits("b", 500)).toBe(true);
    w.take(500);
    w.leave("b");
    expect(w.admits("c", 50)).toBe(true);
    expect([w.expected, w.mostExpected]).toEqual([500, 900]);
  });

  const limit = 8192;
  /** The most bytes of replies that a client ever had requested and not received. */
  async function mostAskedFor(): Promise<number> {
    const n = new ScriptedNode({ incastBytes: limit }),
      t = n.client.process(1, n.address).thread();
    let asked = 0,
      most = 0;
    n.answers = a => {
      const bytes = a.length + 70;
      most = Math.max(most, (asked += bytes));
      n.time.after(1500, () => {
        asked -= bytes;
      });
      return [{ afterNs: 1500 }];
    };
    const sizes = [1444, 64, 700, 5000, 1, 1444];
    await n.time.run(
      t.rpoll(Array.from({ length: 120 }, (_, i) => t.rreadAsync(BigInt(i) << 22n, sizes[i % sizes.length] ?? 1))),
    );
    return most;
  }
  test("bounds the bytes expected, and uses what it allows", async () => {
    const most = await mostAskedFor();
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(limit - 1514);
  });
  test("planted fault: without the window the same run asks for more", async () => {
    vi.spyOn(IncastWindow.prototype, "admits").mockReturnValue(true);
    expect(await mostAskedFor()).toBeGreaterThan(limit);
  });
});
