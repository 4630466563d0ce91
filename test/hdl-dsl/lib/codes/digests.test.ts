import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import {
  axisBeat,
  connect,
  Crc32,
  crc32Next,
  crc32Step,
  input,
  instance,
  InternetChecksum,
  module,
  output,
  sink,
  source,
  uint,
  type UIntShape,
} from "../../../../hdl-dsl/index.ts";
import { AxisSource, runBench, StreamSink } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { everyPressure } from "../../support/pressures.ts";
import { crc32, internetChecksum } from "../reference.ts";

const Digests = module(
  "Digests",
  () => ({
    crc1I: sink(axisBeat(1)),
    crc1O: source(uint(32)),
    crc3I: sink(axisBeat(3)),
    crc3O: source(uint(32)),
    crc16I: sink(axisBeat(16)),
    crc16O: source(uint(32)),
    sum1I: sink(axisBeat(1)),
    sum1O: source(uint(16)),
    sum2I: sink(axisBeat(2)),
    sum2O: source(uint(16)),
    sum3I: sink(axisBeat(3)),
    sum3O: source(uint(16)),
    sum16I: sink(axisBeat(16)),
    sum16O: source(uint(16)),
    crc: input(uint(32)),
    nibble: input(uint(4)),
    after: output(uint(32)),
    wide: input(uint(37)),
    wideAfter: output(uint(32)),
  }),
  io => {
    for (const n of [1, 3, 16] as const) {
      const u = instance(`crc${n}`, Crc32({ bytes: n }));
      connect(io[`crc${n}I`], u.from);
      connect(u.to, io[`crc${n}O`] as never);
    }
    for (const n of [1, 2, 3, 16] as const) {
      const u = instance(`sum${n}`, InternetChecksum({ bytes: n }));
      connect(io[`sum${n}I`], u.from);
      connect(u.to, io[`sum${n}O`] as never);
    }
    io.after.set(crc32Next(io.crc, io.nibble));
    io.wideAfter.set(crc32Next(io.crc, io.wide));
  },
);
const design = Digests();
const units = ["crc1", "crc3", "crc16", "sum1", "sum2", "sum3", "sum16"] as const;
const text = (s: string): Uint8Array => new TextEncoder().encode(s);

describe("the references agree with what is published", () => {
  test("CRC-32: the check value of the catalogues, and others", () => {
    expect(crc32(text("123456789"))).toBe(0xcbf43926);
    expect(crc32(text("a"))).toBe(0xe8b7be43);
    expect(crc32(new Uint8Array(32))).toBe(0x190a55ad);
    expect(crc32(new Uint8Array(32).fill(255))).toBe(0xff6cab0b);
  });
  test("Internet checksum: the example of RFC 1071, section 3, and an IPv4 header", () => {
    expect(internetChecksum(Uint8Array.from([0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]))).toBe(~0xddf2 & 0xffff);
    expect(
      internetChecksum(
        Uint8Array.from([0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7]),
      ),
    ).toBe(0xb861);
  });
});

for (const unit of units) {
  const reference = unit.startsWith("crc") ? crc32 : internetChecksum;
  everyPressure(`${unit}: frames of every length`, design, {}, async (b, from, to) => {
    const into = new AxisSource(b.sim, b.io[`${unit}I`], from()),
      out = new StreamSink<UIntShape>(b.sim, b.io[`${unit}O`], to());
    const frames = [
      text("123456789"),
      new Uint8Array(40),
      new Uint8Array(33).fill(255),
      ...Array.from({ length: 40 }, (_, i) => b.random.bytes(i + 1)),
      ...Array.from({ length: 10 }, () => b.random.bytes(b.random.between(1, 90))),
    ];
    for (const f of frames) into.send(f);
    await b.until(() => out.received.length === frames.length);
    await b.cycles(5);
    expect(out.received.map(r => r.value)).toEqual(frames.map(reference));
  });
  bench(`${unit}: latency 2 from the last beat, a beat every cycle`, design, {}, async b => {
    const bytes = Number(unit.slice(3));
    const into = new AxisSource(b.sim, b.io[`${unit}I`]),
      out = new StreamSink<UIntShape>(b.sim, b.io[`${unit}O`]);
    const sent = Array.from({ length: 12 }, () => into.send(b.random.bytes(3 * bytes)));
    await b.until(() => out.received.length === 12);
    expect(out.received.map(r => r.cycle)).toEqual(sent.map(s => (s.end as number) + 2));
    expect((sent[11]?.end as number) - (sent[0]?.start as number)).toBe(35);
  });
}

bench("crc32Next takes any number of bits", design, {}, async b => {
  for (let i = 0; i < 60; i++) {
    const crc = BigInt(b.random.between(0, 0xffffffff)),
      nibble = b.random.between(0, 15),
      wide = (BigInt(b.random.between(0, 0xffffffff)) << 5n) | BigInt(b.random.between(0, 31));
    b.io.crc.value = crc;
    b.io.nibble.value = nibble;
    b.io.wide.value = wide;
    b.sim.settle();
    expect([BigInt(b.io.after.value), BigInt(b.io.wideAfter.value)]).toEqual([
      crc32Step(crc, BigInt(nibble), 4),
      crc32Step(crc, wide, 37),
    ]);
  }
  let crc = 0xffffffffn;
  for (const byte of text("123456789")) {
    crc = crc32Step(crc, BigInt(byte & 15), 4);
    crc = crc32Step(crc, BigInt(byte >> 4), 4);
  }
  expect(~crc & 0xffffffffn).toBe(0xcbf43926n);
});

describe("planted faults are caught", () => {
  const frames = Array.from({ length: 20 }, (_, i) => Uint8Array.from({ length: 2 * i + 1 }, (_x, k) => 37 * k + i));
  test.each([
    [
      "Crc32: the state is not set back between frames",
      Crc32({ bytes: 8 }),
      crc32,
      /state <= 32'hffffffff;(\s+end\s+else state)/,
      "state <= state;$1",
    ],
    [
      "InternetChecksum: a carry is lost",
      InternetChecksum({ bytes: 4 }),
      internetChecksum,
      /result <= ~\((.*) \+ \{15'd0, (.*)\}\)/,
      "result <= ~($1)",
    ],
  ] as const)("%s", (_name, dut, reference, from, to) =>
    findsFault(
      runBench("digest", plant(dut as ReturnType<typeof Crc32>, from, to), { wave: false }, async b => {
        const into = new AxisSource(b.sim, b.io.from),
          out = new StreamSink(b.sim, b.io.to);
        for (const f of frames) into.send(f);
        await b.until(() => out.received.length === frames.length);
        expect(out.received.map(r => r.value)).toEqual(frames.map(reference));
      }),
      /toEqual|expected/,
    ),
  );
});
