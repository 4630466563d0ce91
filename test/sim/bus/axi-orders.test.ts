/** The orders that AXI4 allows a memory, one by one, and the masters that wait for one of them alone. */
import { describe, expect, test } from "vitest";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  runBench,
  StreamSink,
  StreamSource,
  type WriteOrder,
} from "../../../sim/index.ts";
import { axiWires } from "../designs/wires.ts";

const design = axiWires(64);
const BEATS = 3;
const address = (addr: number, beats: number, id = 0) => ({ addr, id, len: beats - 1, size: 3, burst: 1 });

function master(b: Bench<typeof design.ports>, options: AxiRamOptions) {
  const { io, sim } = b;
  return {
    ram: new AxiRam(sim, axiPorts(io, "mem"), { latency: 4, ...options }),
    aw: new StreamSource(sim, io.sAw),
    w: new StreamSource(sim, io.sW),
    b: new StreamSink(sim, io.sB),
    ar: new StreamSource(sim, io.sAr),
    r: new StreamSink(sim, io.sR),
  };
}
/** Cycles of a burst's address, of its beats and of its answer. */
interface Seen {
  readonly aw: number;
  readonly w: readonly number[];
  readonly b: number;
}
/** Bursts whose address and data are offered side by side; the data must be in memory. */
async function writes(options: AxiRamOptions, count: number): Promise<readonly Seen[]> {
  return runBench("orders", design, {}, async b => {
    const m = master(b, options);
    const sent = Array.from({ length: count }, (_, n) => ({
      aw: m.aw.send(address(4096 * n, BEATS)),
      w: Array.from({ length: BEATS }, (_, i) =>
        m.w.send({ data: 100 * n + i, strb: 255, last: i === BEATS - 1 ? 1 : 0 }),
      ),
    }));
    await b.until(() => m.b.received.length === count);
    for (let n = 0; n < count; n++)
      for (let i = 0; i < BEATS; i++) expect(m.ram.read(4096 * n + 8 * i, 1)[0]).toBe((100 * n + i) % 256);
    expect(m.ram.idle).toBe(true);
    return sent.map((s, n) => ({
      aw: s.aw.cycle as number,
      w: s.w.map(x => x.cycle as number),
      b: m.b.received[n]?.cycle as number,
    }));
  });
}

describe("each legal order is seen at the bus", () => {
  const first = (s: Seen): number => s.w[0] as number,
    last = (s: Seen): number => s.w[BEATS - 1] as number;
  test("an address before its data", async () => {
    for (const s of await writes({ accepts: "address first" }, 3)) expect(first(s)).toBeGreaterThan(s.aw);
  });
  test("all data before their address", async () => {
    for (const s of await writes({ accepts: "data first" }, 3)) expect(s.aw).toBeGreaterThan(last(s));
  });
  test("an address and its first beat in one cycle", async () => {
    for (const s of await writes({ accepts: "together" }, 3)) expect(first(s)).toBe(s.aw);
  });
  test("together, with pauses of one that are pauses of both", async () => {
    const pause = { aw: bernoulli(0.5, 3), w: bernoulli(0.5, 4) };
    for (const s of await writes({ accepts: "together", pause }, 8)) expect(first(s)).toBe(s.aw);
  });
  test("an address late, its data at once", async () => {
    let cycle = 0;
    const [s] = await writes({ pause: { aw: () => ++cycle < 40 } }, 1);
    expect(s?.aw).toBeGreaterThan(30);
    expect(last(s as Seen)).toBeLessThan(10);
  });
  test("an answer late: exactly its latency, though the write is whole", async () => {
    const [s] = await writes({ latency: { read: 1, write: 70 } }, 1);
    expect((s as Seen).b - Math.max(s?.aw as number, last(s as Seen))).toBe(70);
  });
});

describe("a master that waits for one half of a write to be taken is told", () => {
  const waiting = (accepts: WriteOrder, half: "aw" | "w"): Promise<void> =>
    runBench("waits", design, { wave: false }, async b => {
      const m = master(b, { accepts });
      const offersAddress = () => m.aw.send(address(0, 1)),
        offersData = () => m.w.send({ data: 1, strb: 255, last: 1 });
      const begun = half === "aw" ? offersAddress() : offersData();
      await b.until(() => begun.cycle !== undefined);
      if (half === "aw") offersData();
      else offersAddress();
      await b.until(() => m.b.received.length === 1);
    });
  const told = {
    aw: /aw: its data are not offered for 5000 cycles.*A3\.3\.1/,
    w: /w: its address is not offered for 5000 cycles.*A3\.3\.1/,
  };
  test.each([
    ["data first", "aw"],
    ["together", "aw"],
    ["address first", "w"],
    ["together", "w"],
  ] as const)("%s: %s is offered alone", async (accepts, half) => {
    await expect(waiting(accepts, half)).rejects.toThrow(told[half]);
  });
  test.each([
    ["any", "aw"],
    ["any", "w"],
    ["address first", "aw"],
    ["data first", "w"],
  ] as const)("%s: %s first goes through", async (accepts, half) => {
    await waiting(accepts, half);
  });
});
