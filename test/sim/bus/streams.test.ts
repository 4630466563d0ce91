import { describe, expect, test } from "vitest";
import { bit, output, source, struct, uint } from "../../../hdl-dsl/index.ts";
import {
  AxisMonitor,
  AxisSink,
  AxisSource,
  bernoulli,
  bursts,
  EthernetMac,
  fromVerilog,
  never,
  pattern,
  ProtocolError,
  type Random,
  runBench,
  type Seen,
  SimulationError,
  StreamMonitor,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import { fifo } from "../designs/hand-written.ts";
import { axisWires } from "../designs/wires.ts";

describe("pause generators", () => {
  const take = (p: () => boolean, n: number) => Array.from({ length: n }, () => (p() ? "#" : "-")).join("");
  test("repeat by seed, and pause as told", () => {
    expect(take(bernoulli(0.3, 5), 500)).toBe(take(bernoulli(0.3, 5), 500));
    const share = take(bernoulli(0.3, 5), 20_000).replaceAll("-", "").length / 20_000;
    expect(share).toBeGreaterThan(0.28);
    expect(share).toBeLessThan(0.32);
    expect(take(pattern("--#"), 7)).toBe("--#--#-");
    const runs = take(bursts({ go: 4, pause: 2 }, 9), 2000).match(/-+|#+/g) ?? [];
    expect(
      Math.max(
        ...runs
          .slice(0, -1)
          .filter(r => r.startsWith("-"))
          .map(r => r.length),
      ),
    ).toBe(4);
    expect(
      Math.max(
        ...runs
          .slice(0, -1)
          .filter(r => r.startsWith("#"))
          .map(r => r.length),
      ),
    ).toBe(2);
    expect(take(never, 3)).toBe("---");
    expect(() => pattern("-x")).toThrow('a pause pattern is made of "-" (go) and "#" (pause), got "-x"');
  });
});

describe("streams of values", () => {
  test("all arrive once, in order, whatever the back-pressure, and a monitor sees the same", async () => {
    for (const [a, z] of [
      [never, never],
      [bernoulli(0.6, 1), never],
      [never, bernoulli(0.8, 2)],
      [bursts({ go: 3, pause: 9 }, 3), pattern("-###")],
    ] as const) {
      await runBench("values", fifo, {}, async b => {
        const producer = new StreamSource(b.sim, b.io.push, { pause: a }),
          consumer = new StreamSink(b.sim, b.io.pop, { pause: z });
        const seen: Seen<number>[] = [];
        new StreamMonitor(b.sim, b.io.pop, s => {
          seen.push(s);
        });
        const values = Array.from({ length: 300 }, () => b.random.word());
        for (const v of values) producer.send(v);
        await b.until(() => consumer.received.length === values.length);
        expect(consumer.received.map(s => s.value)).toEqual(values);
        expect(seen).toEqual(consumer.received);
        expect(producer.pending).toBe(0);
      });
    }
  });

  test("back to back when nobody pauses; recv waits", async () => {
    await runBench("rate", fifo, {}, async b => {
      const producer = new StreamSource(b.sim, b.io.push),
        consumer = new StreamSink(b.sim, b.io.pop);
      const sent = Array.from({ length: 50 }, (_, i) => producer.send(i));
      await producer.drained();
      expect(sent.map(s => (s.cycle ?? 0) - (sent[0]?.cycle ?? 0))).toEqual(sent.map((_, i) => i));
      for (let i = 0; i < 50; i++) expect(await consumer.recv()).toBe(i);
    });
  });

  test("payload objects are checked by field", async () => {
    await runBench("fields", axisWires(64), {}, async b => {
      const s = new StreamSource(b.sim, b.io.rx);
      // @ts-expect-error a field is missing
      s.send({ data: 1, keep: 1, last: 1 });
      expect(() => b.sim.step()).toThrow("rx.user is missing; give a value for every field");
      await b.cycles(0);
    });
    await runBench("fields", axisWires(64), {}, async b => {
      const s = new StreamSource(b.sim, b.io.rx);
      s.send({ data: 1, keep: 1, last: 1, user: 8 });
      expect(() => b.sim.step()).toThrow("rx_payload_user: 8 does not fit in uint(3)");
      await b.cycles(0);
    });
  });
});

describe("AXI-Stream frames", () => {
  for (const width of [8, 64, 128, 512, 1024]) {
    test(`of every length at ${width} bits, with start and end`, async () => {
      await runBench("frames", axisWires(width), {}, async b => {
        const bytes = width / 8;
        const s = new AxisSource(b.sim, b.io.rx),
          k = new AxisSink(b.sim, b.io.tx);
        const sent = Array.from({ length: 3 * bytes + 2 }, (_, i) => s.send(b.random.bytes(i + 1), { user: i % 8 }));
        await b.until(() => k.frames.length === sent.length);
        expect(k.frames.map(f => [f.bytes, f.start, f.end, f.user])).toEqual(
          sent.map((f, i) => [f.bytes, f.start, f.end, i % 8]),
        );
        let cycle = sent[0]?.start ?? 0;
        for (const f of sent) {
          const beats = Math.ceil(f.bytes.length / bytes);
          expect([f.start, f.end]).toEqual([cycle, cycle + beats - 1]);
          cycle += beats;
        }
      });
    });
  }

  test("survive pauses on both sides", async () => {
    await runBench("paused", axisWires(128), { seed: 3 }, async b => {
      const s = new AxisSource(b.sim, b.io.rx, { pause: bernoulli(0.4, 1) }),
        k = new AxisSink(b.sim, b.io.tx, { pause: bursts({ go: 2, pause: 5 }, 2) });
      const sent = Array.from({ length: 100 }, () => s.send(b.random.bytes(b.random.between(1, 200))));
      for (const f of sent) expect((await k.recv()).bytes).toEqual(f.bytes);
      expect(() => s.send(new Uint8Array(0))).toThrow("a frame of no bytes cannot be sent");
    });
  });

  /** Beats sent by hand, to plant what a source never does. */
  const beats = (list: readonly { keep: number; last: number }[], sparseKeep = false) =>
    runBench("keep", axisWires(64), { wave: false }, async b => {
      const s = new StreamSource(b.sim, b.io.rx),
        frames: number[][] = [];
      const k = new AxisSink(b.sim, b.io.tx, { sparseKeep });
      for (const { keep, last } of list) s.send({ data: 0x0807060504030201n, keep, last, user: 0 });
      await s.drained();
      for (const f of k.frames) frames.push([...f.bytes]);
      return frames;
    });
  test("bytes are masked by tkeep; holes and early partial beats are faults unless allowed", async () => {
    await expect(beats([{ keep: 0b101, last: 1 }])).rejects.toThrow(/^tx_payload_keep has a hole at cycle \d+ \(0x5\)/);
    await expect(
      beats([
        { keep: 0b111, last: 0 },
        { keep: 255, last: 1 },
      ]),
    ).rejects.toThrow(/^tx_payload_keep is partial before the last beat/);
    expect(
      await beats(
        [
          { keep: 0b101, last: 0 },
          { keep: 0b10, last: 1 },
        ],
        true,
      ),
    ).toEqual([[1, 3, 2]]);
    expect(
      await beats([
        { keep: 255, last: 0 },
        { keep: 0, last: 1 },
      ]),
    ).toEqual([[1, 2, 3, 4, 5, 6, 7, 8]]);
  });

  test("a port without whole bytes or with an unfit keep is refused", async () => {
    const odd = fromVerilog(
      "Odd",
      { tx: source(struct({ data: uint(12), last: bit })) },
      "module Odd (input wire clk, input wire rst, output wire tx_valid, input wire tx_ready, output wire [11:0] tx_payload_data, output wire tx_payload_last); assign tx_valid = 0; assign tx_payload_data = 0; assign tx_payload_last = 0; endmodule",
    );
    await runBench("odd", odd, {}, async b => {
      expect(
        () =>
          new AxisMonitor(b.sim, b.io.tx, () => {
            /* none */
          }),
      ).toThrow(new SimulationError("tx_payload_data: 12 bits are no whole number of bytes"));
      await b.cycles(1);
    });
  });
});

describe("the protocol checker", () => {
  const faulty = (fault: string) =>
    fromVerilog(
      `Faulty_${fault}`,
      { tx: source(struct({ data: uint(96), tag: uint(4) })), at: output(uint(8)) },
      `module Faulty_${fault} (input wire clk, input wire rst, output wire tx_valid, input wire tx_ready, output wire [95:0] tx_payload_data,
      output wire [3:0] tx_payload_tag, output reg [7:0] at);
      always @(posedge clk) at <= rst ? 0 : at + 1;
      wire odd = at == 8'd20;
      assign tx_valid = ${fault === "drop" ? "!odd" : "1"};
      assign tx_payload_data = {${fault === "data" ? "odd" : "1'b0"}, 95'd7};
      assign tx_payload_tag = ${fault === "tag" ? "{3'd0, odd}" : "4'd5"};
    endmodule`,
    );
  for (const [fault, message] of [
    ["drop", "tx: the design dropped valid at cycle 23 before it was taken (offered since cycle 3)"],
    ["data", "tx: the design changed tx_payload_data at cycle 23 while it was stalled (offered since cycle 3)"],
    ["tag", "tx: the design changed tx_payload_tag at cycle 23 while it was stalled (offered since cycle 3)"],
  ] as const) {
    test(`finds a planted ${fault}, and no fault in what is taken at once`, async () => {
      const run = runBench("stalled", faulty(fault), { wave: false }, async b => {
        await b.cycles(40);
      });
      await expect(run).rejects.toThrow(ProtocolError);
      await expect(run).rejects.toThrow(message);
      await runBench("taken", faulty(fault), {}, async b => {
        new StreamSink(b.sim, b.io.tx);
        await b.cycles(40);
      });
    });
  }
  test("finds what the bench does wrong too, but not across a reset", async () => {
    const bad = (reset: boolean) =>
      runBench("bench", fifo, { wave: false }, async b => {
        b.io.push.valid.value = 1;
        await b.cycles(600);
        if (reset) {
          b.sim.reset();
          b.io.push.valid.value = 0;
        }
        b.io.push.payload.value = 3;
        await b.cycles(3);
      });
    await expect(bad(false)).rejects.toThrow(
      "push: the bench changed push_payload at cycle 603 while it was stalled (offered since cycle 515)",
    );
    await bad(true);
  });
});

describe("Ethernet MAC", () => {
  const frame = (random: Random, n: number) => random.bytes(n);
  test("frames in and out, not before their time, damaged ones marked", async () => {
    await runBench("mac", axisWires(512), {}, async b => {
      const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx);
      const sent = [
        mac.send(frame(b.random, 60), { at: 100 }),
        mac.send(frame(b.random, 1514), { damaged: true }),
        mac.send(frame(b.random, 64), { at: 110 }),
      ];
      await mac.drained();
      expect(sent.map(s => [s.start, s.end])).toEqual([
        [100, 100],
        [101, 124],
        [125, 125],
      ]);
      expect(mac.received.map(f => [f.bytes, f.start, f.end, f.user])).toEqual(
        sent.map((s, i) => [s.bytes, s.start, s.end, i === 1 ? 1 : 0]),
      );
      expect((await mac.recv()).bytes).toEqual(mac.received.length === 2 ? sent[0]?.bytes : undefined);
    });
  });
  test("at a line rate frames take their time on the line", async () => {
    await runBench("rate", axisWires(512), { clocks: { default: { periodNs: 4 } } }, async b => {
      const mac = new EthernetMac(b.sim, b.io.rx, b.io.tx, { gbps: 100, pad: true });
      const sent = Array.from({ length: 101 }, () => mac.send(frame(b.random, 42)));
      await mac.drained();
      // 100 frames of 60 + 24 bytes at 100 Gbit/s: 672 ns, 168 cycles.
      expect((sent[100]?.start ?? 0) - (sent[0]?.start ?? 0)).toBe(168);
      expect(sent[0]?.bytes.length).toBe(60);
      expect(() => new EthernetMac(b.sim, b.io.rx, b.io.tx, { gbps: 0 })).toThrow(
        "the line rate is 0 Gbit/s; give a number above 0",
      );
    });
  });
});
