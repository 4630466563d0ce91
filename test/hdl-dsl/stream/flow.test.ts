import { describe, expect, test } from "vitest";
import { bench } from "../../bench.ts";
import {
  bit,
  type Bit,
  connect,
  creditReceiver,
  creditSender,
  emit,
  framed,
  input,
  insertHeader,
  merge,
  module,
  output,
  packetise,
  reg,
  removeHeader,
  sink,
  source,
  splitHeader,
  stream,
  type StreamIn,
  struct,
  throttle,
  uint,
  type UIntShape,
  when,
} from "../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, type Pause, runBench, StreamSink, StreamSource } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { lint } from "../support/lint.ts";
import { everyPressure } from "../support/pressures.ts";

const byte = uint(8);
const Beat = struct({ data: byte, last: bit });
const credits = 6;

/** Registers without a ready between the two ends of a credited link. */
function wireDelay(from: StreamIn<UIntShape<8>>, cycles: number): StreamIn<UIntShape<8>> {
  let at = from;
  for (let i = 0; i < cycles; i++) {
    const valid = reg(bit, { init: 0, name: `link_${i}_valid` }),
      payload = reg(byte, { name: `link_${i}_payload` });
    valid.set(at.valid);
    when(at.valid, () => payload.set(at.payload));
    at.ready.set(1);
    const next = stream(byte, { name: `link_${i}` });
    next.valid.set(valid);
    next.payload.set(payload);
    at = next;
  }
  return at;
}
const delayed = (v: Bit, cycles: number): Bit => {
  let at = v;
  for (let i = 0; i < cycles; i++) {
    const r = reg(bit, { init: 0, name: `back_${i}` });
    r.set(at);
    at = r;
  }
  return at;
};

const Flow = module(
  "FlowUnits",
  () => ({
    throttle2I: sink(byte),
    throttle2O: source(byte),
    throttle5I: sink(byte),
    throttle5O: source(byte),
    creditI: sink(byte),
    creditO: source(byte),
    creditLeft: output(uint(3)),
    threeI: sink(byte),
    threeO: source(framed(byte)),
    askedI: sink(byte),
    askedO: source(framed(byte)),
    askedBeats: input(uint(3)),
    insertH: sink(Beat),
    insertI: sink(Beat),
    insertO: source(Beat),
    split1I: sink(Beat),
    split1H: source(Beat),
    split1O: source(Beat),
    split3I: sink(Beat),
    split3H: source(Beat),
    split3O: source(Beat),
    removeI: sink(Beat),
    removeO: source(Beat),
    mergeA: sink(byte),
    mergeB: sink(byte),
    mergeO: source(byte),
  }),
  io => {
    connect(throttle(io.throttle2I, 2), io.throttle2O);
    connect(throttle(io.throttle5I, 5), io.throttle5O);
    const returned = reg(bit, { init: 0 });
    const sender = creditSender(io.creditI, credits, delayed(returned, 2)),
      receiver = creditReceiver(wireDelay(sender.out, 3), credits);
    returned.set(receiver.returned);
    connect(receiver.out, io.creditO);
    io.creditLeft.set(sender.left.is(3));
    connect(packetise(io.threeI, 3), io.threeO);
    connect(packetise(io.askedI, io.askedBeats), io.askedO);
    connect(insertHeader(io.insertH, io.insertI, "last"), io.insertO);
    const one = splitHeader(io.split1I, 1, v => v.last),
      three = splitHeader(io.split3I, 3, v => v.last);
    connect(one.header, io.split1H);
    connect(one.body, io.split1O);
    connect(three.header, io.split3H);
    connect(three.body, io.split3O);
    connect(
      removeHeader(io.removeI, 2, v => v.last),
      io.removeO,
    );
    connect(merge([io.mergeA, io.mergeB]), io.mergeO);
  },
);
const design = Flow();
type B = Bench<(typeof design)["ports"]>;
type Side = { readonly pause: Pause };
const bytes = (b: B, n: number): number[] => Array.from({ length: n }, () => b.random.between(0, 255));
type V = { readonly data: number; readonly last: number };
const packets = (b: B, n: number, longest: number): V[][] =>
  Array.from({ length: n }, (_, i) => {
    const length = i < longest ? i + 1 : b.random.between(1, longest);
    return bytes(b, length).map((data, k) => ({ data, last: k === length - 1 ? 1 : 0 }));
  });

async function straight(b: B, unit: "throttle2" | "throttle5" | "credit", from: Side, to: Side): Promise<number[]> {
  const into = new StreamSource(b.sim, b.io[`${unit}I`], from),
    out = new StreamSink(b.sim, b.io[`${unit}O`], to);
  const sent = bytes(b, 150);
  for (const v of sent) into.send(v);
  await b.until(() => out.received.length === 150);
  await b.cycles(12);
  expect(out.received.map(r => r.value)).toEqual(sent);
  return out.received.map(r => r.cycle);
}

describe("throttle", () => {
  for (const [unit, n] of [
    ["throttle2", 2],
    ["throttle5", 5],
  ] as const) {
    everyPressure(`one transfer in ${n} cycles`, design, {}, async (b, from, to) => {
      const cycles = await straight(b, unit, from(), to());
      for (let i = 1; i < cycles.length; i++)
        expect((cycles[i] as number) - (cycles[i - 1] as number)).toBeGreaterThanOrEqual(n);
    });
    const unpaused = async (b: B): Promise<void> => {
      const cycles = await straight(b, unit, { pause: () => false }, { pause: () => false });
      expect((cycles[149] as number) - (cycles[0] as number)).toBe(149 * n);
    };
    bench(`nothing paused: one in ${n} cycles exactly`, design, {}, unpaused);
    test.each([
      [
        `${unit} never closes`,
        new RegExp(`assign ${unit}_o_valid = ${unit}_i_valid & \\w+;`),
        `assign ${unit}_o_valid = ${unit}_i_valid;`,
      ],
      [
        `${unit} takes without giving`,
        new RegExp(`assign ${unit}_i_ready = ${unit}_o_ready & \\w+;`),
        `assign ${unit}_i_ready = 1'b1;`,
      ],
    ] as const)("planted fault: %s", (_name, from, to) =>
      findsFault(runBench("throttle", plant(design, from, to), { wave: false, hangCycles: 500 }, unpaused), /./),
    );
  }
  test("what it refuses", () =>
    expect(() => throttle(undefined as never, 0)).toThrow(
      "throttle: 0 cycles between transfers is not a whole number of 1 or more",
    ));
});

describe("credits", () => {
  everyPressure(
    "a link of 3 registers there and 2 back: nothing lost, all credits come home",
    design,
    {},
    async (b, from, to) => {
      await straight(b, "credit", from(), to());
      expect(b.io.creditLeft.value).toBe(credits);
    },
  );
  bench("stalled: as many leave the producer as there are credits, and wait at the other end", design, {}, async b => {
    const into = new StreamSource(b.sim, b.io.creditI);
    b.io.creditO.ready.value = 0;
    for (let i = 0; i < 20; i++) into.send(i);
    await b.cycles(30);
    expect([into.pending, b.io.creditLeft.value, b.io.creditO.valid.value]).toEqual([20 - credits, 0, 1]);
  });
  test("planted fault: a credit too many: the receiver's assertion sees it", () =>
    findsFault(
      runBench("credit", plant(design, /(\w+_left) <= 3'd6;/, "$1 <= 3'd7;"), { wave: false }, b =>
        straight(b, "credit", { pause: () => false }, { pause: bernoulli(0.9, 3) }),
      ),
      /finds room/,
    ));
});

describe("framing", () => {
  everyPressure("packetise: every third is the last", design, {}, async (b, from, to) => {
    const into = new StreamSource(b.sim, b.io.threeI, from()),
      out = new StreamSink(b.sim, b.io.threeO, to()),
      sent = bytes(b, 100);
    for (const v of sent) into.send(v);
    await b.until(() => out.received.length === 100);
    expect(out.received.map(r => r.value)).toEqual(sent.map((value, i) => ({ value, last: i % 3 === 2 ? 1 : 0 })));
  });
  bench("packetise: the length is asked for at run time, 1 to 8 (0)", design, {}, async b => {
    const into = new StreamSource(b.sim, b.io.askedI),
      out = new StreamSink(b.sim, b.io.askedO);
    for (let beats = 1; beats <= 8; beats++) {
      b.io.askedBeats.value = beats % 8;
      const sent = bytes(b, 2 * beats),
        before = out.received.length;
      for (const v of sent) into.send(v);
      await b.until(() => out.received.length === before + 2 * beats);
      expect(out.received.slice(before).map(r => r.value)).toEqual(
        sent.map((value, i) => ({ value, last: i % beats === beats - 1 ? 1 : 0 })),
      );
    }
  });
  const insert = async (b: B, from: () => Side, to: () => Side): Promise<void> => {
    const headers = new StreamSource(b.sim, b.io.insertH, from()),
      bodies = new StreamSource(b.sim, b.io.insertI, from()),
      out = new StreamSink(b.sim, b.io.insertO, to());
    const h = packets(b, 30, 3),
      p = packets(b, 30, 5);
    for (const x of h) for (const v of x) headers.send(v);
    for (const x of p) for (const v of x) bodies.send(v);
    const want = p.flatMap((x, i) => [...(h[i] as V[]).map(v => ({ ...v, last: 0 })), ...x]);
    await b.until(() => out.received.length === want.length);
    await b.cycles(8);
    expect(out.received.map(r => r.value)).toEqual(want);
  };
  everyPressure("insertHeader: one packet out of a header and a body", design, {}, insert);
  for (const [unit, n] of [
    ["split1", 1],
    ["split3", 3],
  ] as const) {
    everyPressure(`splitHeader: ${n} of each packet apart`, design, {}, async (b, from, to) => {
      const into = new StreamSource(b.sim, b.io[`${unit}I`], from()),
        header = new StreamSink(b.sim, b.io[`${unit}H`], to()),
        body = new StreamSink(b.sim, b.io[`${unit}O`], to());
      const sent = packets(b, 50, 7);
      for (const x of sent) for (const v of x) into.send(v);
      await into.drained();
      await b.cycles(4);
      expect(header.received.map(r => r.value)).toEqual(sent.flatMap(x => x.slice(0, n)));
      expect(body.received.map(r => r.value)).toEqual(sent.flatMap(x => x.slice(n)));
    });
  }
  everyPressure("removeHeader: packets without their first two", design, {}, async (b, from, to) => {
    const into = new StreamSource(b.sim, b.io.removeI, from()),
      out = new StreamSink(b.sim, b.io.removeO, to()),
      sent = packets(b, 50, 7);
    for (const x of sent) for (const v of x) into.send(v);
    await into.drained();
    await b.cycles(4);
    expect(out.received.map(r => r.value)).toEqual(sent.flatMap(x => x.slice(2)));
  });
  test("planted fault: the header's last stays", () =>
    findsFault(
      runBench(
        "insert",
        plant(design, /_payload_last = insert_i_payload_last & (\w+);/, "_payload_last = insert_i_payload_last | ~$1;"),
        { wave: false, hangCycles: 500 },
        b =>
          insert(
            b,
            () => ({ pause: () => false }),
            () => ({ pause: () => false }),
          ),
      ),
      /./,
    ));
});

bench("merge is the arbiter: fair by default", design, {}, async b => {
  const from = [new StreamSource(b.sim, b.io.mergeA), new StreamSource(b.sim, b.io.mergeB)],
    out = new StreamSink(b.sim, b.io.mergeO);
  for (let i = 0; i < 20; i++) {
    from[0]?.send(i);
    from[1]?.send(100 + i);
  }
  await b.until(() => out.received.length === 40);
  for (let i = 0; i < 40; i += 2)
    expect(
      out.received
        .slice(i, i + 2)
        .map(r => r.value)
        .sort((x, y) => x - y),
    ).toEqual([i / 2, 100 + i / 2]);
});

test("Verilator, Icarus and Yosys accept all of it without a waiver", () => expect(lint(emit(design))).toBe(""));
