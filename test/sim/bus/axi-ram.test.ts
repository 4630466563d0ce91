import { describe, expect, test } from "vitest";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  ProtocolError,
  type Random,
  runBench,
  SparseMemory,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import { axiWires } from "../designs/wires.ts";

const d512 = axiWires(512),
  d64 = axiWires(64);
type Design = typeof d512;

/** The bench's side of the wires: a plain AXI master. */
function master<P extends Design["ports"]>(b: Bench<P>, options: AxiRamOptions = {}, busy = 0) {
  const { io, sim } = b as unknown as Bench<Design["ports"]>;
  const pause = (n: number) => ({ pause: bernoulli(busy, b.seed * 16 + n) });
  return {
    ram: new AxiRam(sim, axiPorts(io, "mem"), options),
    aw: new StreamSource(sim, io.sAw, pause(1)),
    w: new StreamSource(sim, io.sW, pause(2)),
    b: new StreamSink(sim, io.sB, pause(3)),
    ar: new StreamSource(sim, io.sAr, pause(4)),
    r: new StreamSink(sim, io.sR, pause(5)),
  };
}
const at = (addr: number, beats = 1, size = 6, id = 0, burst = 1) => ({ addr, id, len: beats - 1, size, burst });
const all = (1n << 64n) - 1n;
const bytesOf = (v: bigint, n: number): Uint8Array =>
  Uint8Array.from({ length: n }, (_, i) => Number((v >> BigInt(8 * i)) & 255n));
const valueOf = (bytes: Uint8Array): bigint => bytes.reduceRight((v, x) => (v << 8n) | BigInt(x), 0n);

describe("latency", () => {
  for (const latency of [1, 2, 50]) {
    test(`a read's first beat comes exactly ${latency} after its address, then a beat per cycle`, async () => {
      await runBench("read latency", d512, {}, async b => {
        const m = master(b, { latency });
        const addresses = [m.ar.send(at(0, 4)), m.ar.send(at(4096, 2)), m.ar.send(at(8192))];
        await b.until(() => m.r.received.length === 7);
        const fired = addresses[0]?.cycle ?? 0,
          cycles = m.r.received.map(s => s.cycle - fired);
        expect(cycles).toEqual([0, 1, 2, 3, 4, 5, 6].map(n => n + latency));
        expect(addresses.map(a => (a.cycle ?? 0) - fired)).toEqual([0, 1, 2]);
      });
    });
    test(`B comes exactly ${latency} after the later of address and last data`, async () => {
      await runBench("write latency", d512, {}, async b => {
        const m = master(b, { latency: { read: 9, write: latency } });
        const late = m.w.send({ data: 5, strb: all, last: 1 });
        await b.cycles(7);
        const address = m.aw.send(at(64));
        await b.until(() => m.b.received.length === 1);
        expect((m.b.received[0]?.cycle ?? 0) - (address.cycle ?? 0)).toBe(latency);
        expect(late.cycle).toBeLessThan(address.cycle ?? 0);
        const second = m.aw.send(at(128));
        await b.cycles(5);
        const data = m.w.send({ data: 6, strb: all, last: 1 });
        await b.until(() => m.b.received.length === 2);
        expect((m.b.received[1]?.cycle ?? 0) - (data.cycle ?? 0)).toBe(latency);
        expect(second.cycle).toBeLessThan(data.cycle ?? 0);
      });
    });
  }
});

describe("data", () => {
  test("a write takes effect when its answer is offered, not before", async () => {
    await runBench("effect", d512, {}, async b => {
      const m = master(b, { latency: 10 });
      m.aw.send(at(0));
      m.w.send({ data: 1, strb: all, last: 1 });
      await b.cycles(5);
      expect(m.ram.read(0, 1)[0]).toBe(0);
      await b.until(() => m.b.received.length === 1);
      expect(m.ram.read(0, 1)[0]).toBe(1);
    });
  });

  for (const [name, design, busy, interleave] of [
    ["512 bits", d512, 0.3, false],
    ["512 bits, beats mixed", d512, 0, true],
    ["64 bits", d64, 0.5, true],
  ] as const) {
    test(`random writes and reads of ${name} agree with a plain copy, under back-pressure, out of order`, async () => {
      await runBench("random", design as unknown as Design, { seed: 7 }, async b => {
        const random = b.random.fork("test"),
          bus = design === d512 ? 64 : 8,
          logBus = Math.log2(bus);
        const p = (n: number) => bernoulli(busy, n);
        const m = master(
          b,
          {
            latency: 12,
            jitter: 20,
            outOfOrder: true,
            interleave,
            memory: new SparseMemory({ fill: { seed: 5 } }),
            pause: { aw: p(1), w: p(2), b: p(3), ar: p(4), r: p(5) },
          },
          busy,
        );
        const copy = new SparseMemory({ fill: { seed: 5 } });
        for (let round = 0; round < 60; round++) {
          const batch = Array.from({ length: 8 }, (_, id) => burst(random, id, logBus, (round * 8 + id) * 4096));
          for (const t of batch) write(m, t, random, copy, bus);
          await b.until(() => m.b.received.length === batch.length);
          expect(
            m.b.received
              .splice(0)
              .map(s => s.value.id)
              .sort((x, y) => x - y),
          ).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
          for (const t of batch) m.ar.send(at(t.address, t.beats, t.size, t.id, t.kind));
          await b.until(() => m.r.received.filter(s => s.value.last === 1).length === batch.length);
          const got = m.r.received.splice(0);
          for (const t of batch)
            checkRead(
              got.filter(s => s.value.id === t.id).map(s => s.value),
              t,
              copy,
              bus,
            );
        }
        expect(m.ram.idle).toBe(true);
      });
    });
  }

  interface Transfer {
    address: number;
    beats: number;
    size: number;
    id: number;
    kind: number;
  }
  function burst(random: Random, id: number, logBus: number, page: number): Transfer {
    const size = random.chance(0.7) ? logBus : random.between(0, logBus),
      kind = random.pick([1, 1, 1, 0, 2]);
    const most = Math.min(kind === 1 ? 32 : 16, 4096 >> size),
      beats = kind === 2 ? random.pick([2, 4, 8, 16].filter(n => n <= most)) : random.between(1, most);
    const room = 4096 - (beats << size),
      start = random.between(0, Math.floor(room / (1 << size))) << size;
    const offset = kind === 2 ? 0 : random.between(0, (1 << size) - 1);
    return { address: page + start + offset, beats, size, id, kind };
  }
  /** Address of a beat, written from the formulas of AXI4 A3.4.1 once more, on purpose. */
  function beatAddress(t: Transfer, beat: number): number {
    const n = 2 ** t.size,
      aligned = t.address - (t.address % n);
    if (beat === 0 || t.kind === 0) return t.address;
    const wrap = t.address - (t.address % (n * t.beats));
    const next = aligned + beat * n;
    return t.kind === 2 && next >= wrap + n * t.beats ? next - n * t.beats : next;
  }
  function write(m: ReturnType<typeof master>, t: Transfer, random: Random, copy: SparseMemory, bus: number): void {
    m.aw.send(at(t.address, t.beats, t.size, t.id, t.kind));
    for (let beat = 0; beat < t.beats; beat++) {
      const a = beatAddress(t, beat),
        n = 2 ** t.size,
        high = a - (a % n) + n,
        data = random.bytes(bus);
      let strobes = 0n;
      for (let x = a; x < high; x++) {
        if (!random.chance(0.8)) continue;
        strobes |= 1n << BigInt(x % bus);
        copy.write(x, data.subarray(x % bus, (x % bus) + 1));
      }
      m.w.send({ data: valueOf(data), strb: strobes, last: beat === t.beats - 1 ? 1 : 0 });
    }
  }
  function checkRead(
    beats: readonly { data: number | bigint; resp: number; last: number }[],
    t: Transfer,
    copy: SparseMemory,
    bus: number,
  ): void {
    expect(beats.map(x => x.last)).toEqual(Array.from({ length: t.beats }, (_, i) => (i === t.beats - 1 ? 1 : 0)));
    beats.forEach((x, beat) => {
      const a = beatAddress(t, beat),
        n = 2 ** t.size,
        to = a - (a % n) + n,
        low = a % bus;
      expect(bytesOf(BigInt(x.data), bus).slice(low, low + to - a), JSON.stringify(t)).toEqual(copy.read(a, to - a));
    });
  }

  test("answers overtake each other across IDs only when allowed, and never within one", async () => {
    for (const outOfOrder of [false, true]) {
      const order = await runBench("order", d512, {}, async b => {
        const m = master(b, { latency: 60, outOfOrder });
        for (let i = 0; i < 40; i++) {
          m.ram.write(i * 64, Uint8Array.of(i));
          m.ar.send(at(i * 64, 1, 6, i % 4));
        }
        await b.until(() => m.r.received.length === 40);
        return m.r.received.map(s => ({ id: s.value.id, n: Number(s.value.data & 255n) }));
      });
      const sorted = Array.from({ length: 40 }, (_, i) => i);
      if (outOfOrder) expect(order.map(o => o.n)).not.toEqual(sorted);
      else expect(order.map(o => o.n)).toEqual(sorted);
      for (let id = 0; id < 4; id++)
        expect(order.filter(o => o.id === id).map(o => o.n)).toEqual(sorted.filter(n => n % 4 === id));
    }
  });

  test("beats of different IDs are mixed only when allowed", async () => {
    for (const interleave of [false, true]) {
      const ids = await runBench("mixed", d512, {}, async b => {
        const m = master(b, { latency: 60, outOfOrder: true, interleave });
        for (let id = 0; id < 8; id++) m.ar.send(at(id * 4096, 8, 6, id));
        await b.until(() => m.r.received.length === 64);
        return m.r.received.map(s => s.value.id);
      });
      const changes = ids.filter((id, i) => i > 0 && id !== ids[i - 1]).length;
      if (interleave) expect(changes).toBeGreaterThan(20);
      else expect(changes).toBe(7);
    }
  });

  test("terabytes are addressed and only used pages exist", async () => {
    await runBench("sparse", d512, {}, async b => {
      const m = master(b, { latency: 1 });
      for (const address of [0, 2 ** 40 + 64, 2 ** 47 + 8 * 4096]) {
        m.aw.send(at(address));
        m.w.send({ data: address + 1, strb: all, last: 1 });
        await b.until(() => m.b.take() !== undefined);
        m.ar.send(at(address));
        expect((await m.r.recv()).data).toBe(BigInt(address + 1));
      }
      expect(m.ram.memory.pages).toBe(3);
    });
  });

  test("an error range answers SLVERR and keeps its data; memory's end answers DECERR", async () => {
    await runBench("errors", d512, {}, async b => {
      const m = master(b, {
        latency: 3,
        errors: [{ from: 4096, to: 8192 }],
        memory: new SparseMemory({ size: 65536 }),
      });
      const responses: number[] = [];
      for (const address of [0, 4096, 8192 - 64, 8192, 65536]) {
        m.aw.send(at(address));
        m.w.send({ data: 7, strb: all, last: 1 });
        responses.push((await m.b.recv()).resp);
        m.ar.send(at(address));
        const r = await m.r.recv();
        responses.push(r.resp);
        expect(r.data).toBe(r.resp === 0 ? 7n : 0n);
      }
      expect(responses).toEqual([0, 0, 2, 2, 2, 2, 0, 0, 3, 3]);
      m.ram.failAt({ from: 0, to: 64, response: "DECERR" });
      m.ar.send(at(0));
      expect((await m.r.recv()).resp).toBe(3);
      expect(m.ram.read(4096, 1)[0]).toBe(0);
    });
  });
  test("each beat of a read has its own answer, a burst of writes has one", async () => {
    await runBench("part of a burst", d512, {}, async b => {
      const m = master(b, { latency: 3, errors: [{ from: 130, to: 132 }] });
      m.ar.send(at(0, 4));
      const responses: number[] = [];
      for (let i = 0; i < 4; i++) responses.push((await m.r.recv()).resp);
      expect(responses).toEqual([0, 0, 2, 0]);
      m.aw.send(at(0, 4));
      for (let i = 0; i < 4; i++) m.w.send({ data: 7, strb: all, last: i === 3 ? 1 : 0 });
      expect((await m.b.recv()).resp).toBe(2);
      expect(m.ram.read(0, 1)[0]).toBe(0);
    });
  });
});

describe("planted faults are found", () => {
  const faults: [string, RegExp, (m: ReturnType<typeof master>) => void][] = [
    [
      "4 KB crossing",
      /^ar: the burst crosses a 4 KB boundary at cycle \d+ \(addr 0xfc0, 2 beats of 64 bytes, burst 1\)/,
      m => {
        m.ar.send(at(0xfc0, 2));
      },
    ],
    [
      "a beat wider than the bus",
      /^aw: a beat is wider than the bus of 64 bytes/,
      m => {
        m.aw.send(at(0, 1, 7));
      },
    ],
    [
      "a reserved burst type",
      /^ar: burst type 3 is reserved/,
      m => {
        m.ar.send(at(0, 1, 6, 0, 3));
      },
    ],
    [
      "a WRAP of three beats",
      /^ar: a WRAP burst has 2, 4, 8 or 16 beats/,
      m => {
        m.ar.send(at(0, 3, 6, 0, 2));
      },
    ],
    [
      "last too early",
      /^w: last is 1 on beat 1 of a burst of 2/,
      m => {
        m.aw.send(at(0, 2));
        m.w.send({ data: 0, strb: 0, last: 0 });
        m.w.send({ data: 0, strb: 0, last: 1 });
        m.aw.send(at(0, 2));
        m.w.send({ data: 0, strb: 0, last: 1 });
      },
    ],
    [
      "last missing",
      /^w: last is 0 on beat 1 of a burst of 1/,
      m => {
        m.aw.send(at(0, 1));
        m.w.send({ data: 0, strb: 0, last: 0 });
      },
    ],
    [
      "a strobe outside a narrow beat",
      /^w: strobe 4 is set on beat 1, which covers lanes 0 to 3/,
      m => {
        m.aw.send(at(0, 1, 2));
        m.w.send({ data: 0, strb: 0x1f, last: 1 });
      },
    ],
    [
      "a strobe below an unaligned start",
      /^w: strobe 2 is set on beat 1, which covers lanes 3 to 63/,
      m => {
        m.aw.send(at(3));
        m.w.send({ data: 0, strb: 0xc, last: 1 });
      },
    ],
  ];
  for (const [name, message, act] of faults) {
    test(name, async () => {
      const run = runBench("fault", d512, { wave: false }, async b => {
        const m = master(b, { latency: 2 });
        act(m);
        await b.cycles(30);
      });
      await expect(run).rejects.toThrow(ProtocolError);
      await expect(run).rejects.toThrow(message);
    });
  }
  test("a data burst that came first and does not fit its address", async () => {
    const run = runBench("fault", d512, { wave: false }, async b => {
      const m = master(b);
      m.w.send({ data: 0, strb: 0, last: 1 });
      await b.cycles(5);
      m.aw.send(at(0, 2));
      await b.cycles(5);
    });
    await expect(run).rejects.toThrow("w: a burst of 1 beats came for an address of 2 beats");
  });
  test("a latency of 0, interleaving in order", async () => {
    await expect(
      runBench("fault", d512, { wave: false }, async b => {
        master(b, { latency: 0 });
        await b.cycles(1);
      }),
    ).rejects.toThrow("AXI4 RAM: the read latency is 0; give a whole number of 1 cycle or more");
    await expect(
      runBench("fault", d512, { wave: false }, async b => {
        master(b, { interleave: true });
        await b.cycles(1);
      }),
    ).rejects.toThrow("AXI4 RAM: interleave mixes answers of different IDs; set outOfOrder too");
  });
});
