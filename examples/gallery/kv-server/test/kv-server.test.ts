import { type Bench, bernoulli, BuildError, type Dut, EthernetMac, never, runBench, withFault } from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { KvServer } from "../src/kv-server.ts";
import { replyFrame, type Request, requestFrame, server } from "./frames.ts";

const sizes = { ...server, buckets: 16, ways: 2 },
  kv = KvServer(sizes);
type KvBench = Bench<typeof kv.ports>;

const operations = { get: 1, put: 2, remove: 3 },
  status = { done: 0, absent: 1, full: 2 };

/** The server by its description. Which keys share a bucket is the only thing that it learns from the replies. */
class Model {
  readonly keys = new Map<string, string>();
  fulls = 0;
  /** @param seen the status that came: only whether a bucket is full is believed, and only when it may be */
  reply(r: Request, seen: number): Uint8Array {
    const old = this.keys.get(r.key);
    if (r.operation === operations.get)
      return replyFrame(r, old === undefined ? status.absent : status.done, old ?? "");
    if (r.operation === operations.remove) {
      this.keys.delete(r.key);
      return replyFrame(r, old === undefined ? status.absent : status.done, r.value);
    }
    if (seen === status.full && old === undefined && this.keys.size >= sizes.ways) {
      this.fulls++;
      return replyFrame(r, status.full, r.value);
    }
    this.keys.set(r.key, r.value);
    return replyFrame(r, status.done, r.value);
  }
}

const run = <T>(dut: Dut<typeof kv.ports>, seed: number, body: (b: KvBench) => Promise<T>): Promise<T> =>
  runBench("kv server", dut, { seed, wave: false, hangCycles: 1000, limitCycles: 20_000 }, body);

function randomRequest(b: KvBench, tag: number): Request {
  return {
    operation: b.random.pick([1, 2, 2, 3, 1]),
    tag: tag * 65_537,
    key: `key ${b.random.below(40)}`,
    value: `v${b.random.below(10_000)}`,
    clientMac: BigInt(b.random.below(2 ** 40)),
    clientIp: b.random.below(2 ** 32),
    clientPort: b.random.below(65_536),
    unchecked: b.random.chance(0.2),
  };
}

/** A frame with one thing wrong: a bit, its length, its operation. */
function spoilt(b: KvBench, r: Request): Uint8Array {
  const frame = requestFrame(r);
  if (b.random.chance(0.2)) return frame.slice(0, b.random.pick([1, 8, 56, 60, 63]));
  if (b.random.chance(0.2)) return Uint8Array.from([...frame, ...b.random.bytes(b.random.pick([1, 8, 30, 64, 200]))]);
  if (b.random.chance(0.2)) return requestFrame({ ...r, operation: b.random.pick([0, 4, 5, 0x81]) });
  // The client's addresses, and IP's own fields, are under IP's checksum; the rest under UDP's, where there is one.
  const at =
    r.unchecked === true
      ? b.random.pick([0, 5, 12, 13, 14, 17, 20, 23, 24, 27, 31, 37, 39])
      : b.random.pick([0, 12, 14, 16, 22, 25, 30, 34, 36, 38, 44, 50, 63]);
  frame[at] = (frame[at] ?? 0) ^ (1 << b.random.below(8));
  return frame;
}

const traffic = (dut: Dut<typeof kv.ports>, seed: number, pause: number, count = 400): Promise<void> =>
  run(dut, seed, async b => {
    const paused = (n: number) => (pause === 0 ? never : bernoulli(pause, b.seed + n)),
      mac = new EthernetMac(b.sim, b.io.rx, b.io.tx, { pauseRx: paused(1), pauseTx: paused(2) });
    let dropped = 0,
      bad = 0;
    b.onEdge({ sample: () => void (dropped += b.io.dropped.value), save: () => undefined, restore: () => undefined });
    const good: Request[] = [];
    for (let n = 0; n < count; n++) {
      const r = randomRequest(b, n);
      if (b.random.chance(0.2)) {
        mac.send(spoilt(b, r));
        bad++;
      } else {
        mac.send(requestFrame(r));
        good.push(r);
      }
    }
    const model = new Model();
    await b.until(() => mac.received.length === good.length);
    for (const [i, r] of good.entries()) {
      const seen = mac.received[i]?.bytes ?? new Uint8Array();
      expect(hex(seen), `expected the reply to request ${i}: ${JSON.stringify({ ...r, clientMac: 0 })}`).toBe(
        hex(model.reply(r, seen[43] ?? 0)),
      );
    }
    await b.cycles(200);
    expect([mac.received.length, dropped], "expected replies and frames that were dropped").toEqual([good.length, bad]);
    expect(model.fulls, "expected full buckets").toBeGreaterThan(3);
    expect(model.keys.size).toBeGreaterThan(10);
  });
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("the server", () => {
  test.each([
    [1, 0],
    [2, 0.3],
    [3, 0.6],
  ])("random requests and broken frames, seed %d, pauses %d", (seed, pause) => traffic(kv, seed, pause));

  test("latency 7, and 64 bytes in for 64 bytes out without a pause", () =>
    run(kv, 4, async b => {
      await b.cycles(sizes.buckets + 5);
      const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx);
      const sent = Array.from({ length: 20 }, (_, n) => mac.send(requestFrame(randomRequest(b, n))));
      await b.until(() => mac.received.length === sent.length);
      expect(mac.received.map((f, i) => f.start - (sent[i]?.end ?? 0))).toEqual(sent.map(() => 7));
      expect((mac.received.at(-1)?.end ?? 0) - (mac.received[0]?.start ?? 0)).toBe(8 * sent.length - 1);
    }));

  test("when `tx` waits `rx` waits, and nothing is lost", () =>
    run(kv, 5, async b => {
      let waits = true;
      const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx, { pauseTx: () => waits });
      const sent = Array.from({ length: 20 }, (_, n) => mac.send(requestFrame(randomRequest(b, n))));
      await b.cycles(300);
      expect(sent.filter(f => f.end !== undefined).length).toBe(6);
      waits = false;
      await b.until(() => mac.received.length === sent.length);
    }));

  test("a reset in the middle of a frame forgets it, and every key", () =>
    run(kv, 6, async b => {
      const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx),
        request = { ...randomRequest(b, 1), operation: operations.put, key: "kept" };
      mac.send(requestFrame(request));
      await b.until(() => mac.received.length === 1);
      b.io.rx.payload.data.value = 1n;
      b.io.rx.payload.last.value = 0;
      b.io.rx.valid.value = 1;
      await b.cycles(3);
      b.io.rx.valid.value = 0;
      b.sim.reset(1);
      const again = { ...request, operation: operations.get };
      mac.send(requestFrame(again));
      await b.until(() => mac.received.length === 2);
      expect(hex(mac.received[1]?.bytes ?? new Uint8Array())).toBe(hex(replyFrame(again, status.absent, "")));
    }));
});

describe("planted faults are found", () => {
  test.each([
    ["frames to somebody else are answered", "s2_faulty <= |s1_faults", "s2_faulty <= 1'b0"],
    ["requests without a checksum are dropped", " | s2_unchecked", ""],
    ["a key gets a second place", "writes_any ? {writes_and, entries_and} : writes_joined", "writes_joined"],
    [
      "a key that is removed stays",
      "(writes_choice == operation_remove) ? {writes_and, entries_and}",
      "(writes_choice == operation_remove) ? 2'd0",
    ],
    ["a reply goes to its sender", "frame[47:0], frame[95:48]", "frame[95:48], frame[47:0]"],
    [
      "a reply is taken while one waits",
      "(left == 4'd0) | ((left == 4'd1) & tx_ready)",
      "(left == 4'd0) | (left == 4'd1)",
    ],
  ])("a planted fault: %s", async (what, from, to) => {
    const faulty = withFault(kv, { what, from, to });
    const all = async (): Promise<void> => {
      await traffic(faulty, 1, 0);
      await traffic(faulty, 2, 0.3);
    };
    const found = all();
    await expect(found).rejects.toThrow(/expected|no stream has moved|has not ended|design changed/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
