import { describe, expect, test } from "vitest";
import {
  axi4Bus,
  axi4Master,
  type Axi4Parameters,
  axi4Slave,
  axiStream,
  bit,
  connect,
  type Def,
  emit,
  endOf,
  flip,
  input,
  instance,
  interfaceOf,
  leavesOfPort,
  link,
  liteBus,
  module,
  output,
  placedPorts,
  reg,
  sink,
  source,
  stage,
  struct,
  structureOf,
  uint,
  warningsOf,
  when,
} from "../../../hdl-dsl/index.ts";
import { AxiRam, type Bench, bernoulli, type Pause, runBench, StreamSink, StreamSource } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { messageOf } from "../build/faults.ts";
import { lint } from "../support/lint.ts";
import { everyPressure } from "../support/pressures.ts";
import { faults } from "./interface-faults.ts";

const Order = struct({ value: uint(8), tag: uint(4) });
/** As the master has it: streams both ways, plain ports both ways, and an interface within. */
const Job = interfaceOf({
  order: source(Order),
  done: sink(Order),
  busy: input(bit),
  log: interfaceOf({ level: output(uint(2)), word: sink(uint(8)), stopped: input(bit) }),
});

/** Answers each order with its value plus one, and logs it when `level` is not 0. Latency 1. */
const Engine = module(
  "Engine",
  () => ({ s: flip(Job) }),
  io => {
    const { order, done, busy, log } = io.s;
    const taken = stage(order, "forward", { name: "taken" });
    const logged = reg(bit, { init: 0 }),
      word = reg(uint(8));
    done.valid.set(taken.valid.and(logged.not()));
    done.payload.set({ value: taken.payload.value.add(1), tag: taken.payload.tag });
    taken.ready.set(done.ready.and(logged.not()));
    when(done.fire.and(log.level.any()), () => {
      logged.set(1);
      word.set(taken.payload.value);
    }).elseWhen(log.word.fire, () => logged.set(0));
    log.word.valid.set(logged);
    log.word.payload.set(word);
    log.stopped.set(log.level.eq(3));
    busy.set(taken.valid.or(logged));
  },
);
const Pass = module(
  "Pass",
  () => ({ s: flip(Job), m: Job }),
  io => connect(io.s, io.m),
);
/** Through a module, through wires and to the engine; the ends in either order. */
const Whole = module(
  "Whole",
  () => ({ s: flip(Job) }),
  io => {
    const pass = instance(Pass()),
      engine = instance(Engine()),
      between = link(Job);
    connect(io.s, pass.s);
    connect(between.near, pass.m);
    connect(engine.s, between.far);
  },
);

type B = Bench<ReturnType<typeof Whole>["ports"]>;
type Side = () => { readonly pause: Pause };
async function traffic(b: B, from: Side, to: Side, level: number): Promise<void> {
  const { order, done, busy, log } = b.io.s;
  const into = new StreamSource(b.sim, order, from()),
    out = new StreamSink(b.sim, done, to()),
    words = new StreamSink(b.sim, log.word, to());
  log.level.value = level;
  const sent = Array.from({ length: 60 }, (_, i) => ({ value: b.random.between(0, 255), tag: i % 16 }));
  for (const v of sent) into.send(v);
  const logged = level === 0 ? 0 : sent.length;
  await b.until(() => out.received.length === sent.length && words.received.length === logged);
  await b.cycles(4);
  expect(out.received.map(r => r.value)).toEqual(sent.map(v => ({ ...v, value: (v.value + 1) % 256 })));
  expect(words.received.map(r => r.value)).toEqual(level === 0 ? [] : sent.map(v => v.value));
  expect(log.stopped.value).toBe(level === 3 ? 1 : 0);
  expect(busy.value).toBe(0);
}

describe("interfaces as ports, connected whole", () => {
  for (const level of [0, 1, 3])
    everyPressure(`streams, plain ports and an interface within, level ${level}`, Whole(), {}, (b, from, to) =>
      traffic(b, from, to, level),
    );
  test("the tools take the Verilog, and nothing is doubtful", () => {
    expect(lint(emit(Whole()))).toBe("");
    expect(warningsOf(Whole())).toEqual([]);
  });
  test.each([
    ["a plain port", 0, /\.s_log_level\s*\(s_log_level\)/, ".s_log_level (~s_log_level)"],
    ["a stream's payload", 0, /\.s_order_payload_tag\s*\(s_order_payload_tag\)/, ".s_order_payload_tag (4'd3)"],
    ["a stream of the inner interface", 2, /\.s_log_word_ready\s*\(s_log_word_ready\)/, ".s_log_word_ready (1'b1)"],
  ])("a wrong wire is found: %s", async (_what, level, from, to) => {
    let n = 1;
    const side: Side = () => ({ pause: bernoulli(0.4, n++) });
    await findsFault(
      runBench("wrong wire", plant(Whole(), from, to), { limitCycles: 5000 }, b => traffic(b, side, side, level)),
    );
  });
  test("ports are named and placed as the interface says", () => {
    expect(placedPorts(Engine().ports).map(p => `${p.path.join(".")} ${p.port.port} ${p.port.dir}`)).toEqual([
      "s.order stream in",
      "s.done stream out",
      "s.busy plain out",
      "s.log.level plain in",
      "s.log.word stream out",
      "s.log.stopped plain out",
    ]);
    expect(
      placedPorts({ m: Job })
        .flatMap(x => leavesOfPort(x))
        .map(l => `${l.name} ${l.dir}`),
    ).toEqual([
      ...["valid out", "ready in", "payload_value out", "payload_tag out"].map(l => `m_order_${l}`),
      ...["valid in", "ready out", "payload_value in", "payload_tag in"].map(l => `m_done_${l}`),
      ...["m_busy in", "m_log_level out", "m_log_word_valid in", "m_log_word_ready out", "m_log_word_payload in"],
      "m_log_stopped in",
    ]);
  });
  test("flipped twice is as before; a port that is unread on purpose is so on its side only", () => {
    expect(flip(flip(Job))).toEqual(Job);
    expect(flip(input(bit, { unused: true, domain: "net" }))).toEqual(output(bit, { domain: "net" }));
    expect(flip(sink(Order, { domain: "net" }))).toEqual(source(Order, { domain: "net" }));
    expect(() => interfaceOf({})).toThrow("interfaceOf: at least one member is needed");
  });
  test("a drawing has a part for each member", () => {
    const { parts, links } = structureOf(Whole());
    expect(parts.map(p => p.name)).toEqual(
      expect.arrayContaining(["s_order", "s_done", "s_log_word", "pass", "engine"]),
    );
    expect(links.map(l => `${l.from.name} ${l.kind} ${l.to.name} ${l.ports.join()}`)).toContain(
      "s_order stream pass s_order",
    );
  });
  test("a member that nobody reads is found, whatever the others", () => {
    const Deaf = module(
      "Deaf",
      () => ({ s: flip(Job) }),
      io => {
        const { order, done, busy, log } = io.s;
        connect(order, done);
        busy.set(0);
        log.word.valid.set(0);
        log.word.payload.set(0);
        log.stopped.set(log.word.ready);
      },
    );
    expect(() => emit(Deaf())).toThrow("HDL004 in Deaf: input `s_log_level` is never read");
  });
});

const p: Axi4Parameters = { addressBits: 16, idBits: 2, beatBytes: 8 };
const Through = module(
  "Through",
  (q: Axi4Parameters) => ({ s: flip(axi4Bus(q)), m: axi4Bus(q) }),
  io => connect(io.m, io.s),
);
const Separate = module(
  "Through",
  (q: Axi4Parameters) => ({ ...axi4Slave("s", q), ...axi4Master("m", q) }),
  (io, q) => connect(endOf(flip(axi4Bus(q)), io, "s"), endOf(axi4Bus(q), io, "m")),
);
/** An interface outside, ports by themselves within. */
const Mixed = module(
  "Mixed",
  (q: Axi4Parameters) => ({ s: flip(axi4Bus(q)), m: axi4Bus(q) }),
  (io, q) => {
    const inner = instance(Separate(q));
    connect(io.s, endOf(axi4Bus(q), inner, "s"));
    connect(endOf(flip(axi4Bus(q)), inner, "m"), io.m);
  },
);

describe("AXI as interfaces", () => {
  const text = (def: Def): string => (emit(def).files.at(-1)?.text ?? "").replace(/ \/\/ .*\.ts:\d+/g, "");
  test("an interface is in Verilog what its channels are by themselves", () => {
    expect(text(Through(p))).toBe(text(Separate(p)));
    expect(lint(emit(Mixed(p)))).toBe("");
  });
  bench("a memory behind two modules is written and read", Mixed(p), {}, async b => {
    const ram = new AxiRam(b.sim, b.io.m),
      { aw, w, b: done, ar, r } = b.io.s;
    const awSource = new StreamSource(b.sim, aw),
      wSource = new StreamSource(b.sim, w, { pause: bernoulli(0.4, 1) }),
      bSink = new StreamSink(b.sim, done),
      arSource = new StreamSource(b.sim, ar),
      rSink = new StreamSink(b.sim, r, { pause: bernoulli(0.4, 2) });
    const words = Array.from({ length: 8 }, () => b.random.bits(64));
    awSource.send({ addr: 64, id: 1, len: 7, size: 3, burst: 1 });
    words.forEach((data, i) => wSource.send({ data, strb: 255, last: i === 7 ? 1 : 0 }));
    await b.until(() => bSink.received.length === 1);
    expect(bSink.received[0]?.value).toEqual({ id: 1, resp: 0 });
    arSource.send({ addr: 64, id: 2, len: 7, size: 3, burst: 1 });
    await b.until(() => rSink.received.length === 8);
    expect(rSink.received.map(x => x.value)).toEqual(
      words.map((data, i) => ({ data, id: 2, resp: 0, last: i === 7 ? 1 : 0 })),
    );
    void ram;
  });
  test("AXI4-Lite and AXI-Stream in an interface of one's own", () => {
    const Core = interfaceOf({ control: flip(liteBus(8)), rx: flip(axiStream(4)), tx: axiStream(4) });
    const Wrap = module(
      "Wrap",
      () => ({ core: Core, host: flip(Core) }),
      io => connect(io.core, io.host),
    );
    expect(lint(emit(Wrap()))).toBe("");
    expect(emit(Wrap()).streams.map(s => `${s.name} ${s.dir}`)).toEqual([
      ...["aw in", "w in", "b out", "ar in", "r out"].map(c => `core_control_${c}`),
      "core_rx in",
      "core_tx out",
      ...["aw out", "w out", "b in", "ar out", "r in"].map(c => `host_control_${c}`),
      "host_rx out",
      "host_tx in",
    ]);
  });
  test("an end of ports that are not there is refused", () => {
    const Half = module(
      "Half",
      () => ({ ...axi4Slave("s", p), y: output(bit) }),
      io => {
        endOf(flip(axi4Bus(p)), io as never, "x");
      },
    );
    expect(() => emit(Half())).toThrow("endOf: there is no port xAw");
  });
});

const expected: Readonly<Record<string, readonly string[]>> = {
  HDL155_side: [
    "HDL155 in SameSide: connect: `s` and `m` are the same side of an interface (interface-faults.ts:13). Declare one of them with flip(...)",
  ],
  HDL155_missing: [
    "HDL155 in MemberMissing: connect: `m` has no log, which `s` has (interface-faults.ts:13). Declare both by one interface, one of them flipped",
  ],
  HDL155_more: [
    "HDL155 in MemberTooMany: connect: `s` has no log, which `m` has (interface-faults.ts:13). Declare both by one interface, one of them flipped",
  ],
  HDL155_turned: [
    "HDL155 in MemberTurned: connect: `s.log` and `m.log` are the same side of an interface (interface-faults.ts:13). Declare one of them with flip(...)",
  ],
  HDL155_driven: [
    "HDL155 in MemberDrivenTwice: connect: `s.busy` and `m.busy` are both driven here, and neither gives a value (interface-faults.ts:13). Declare the member the other way round on one side: flip(...) turns whole interfaces",
  ],
  HDL155_read: [
    "HDL155 in MemberReadTwice: connect: `s.busy` and `m.busy` both give a value here, and neither takes one (interface-faults.ts:13). Declare the member the other way round on one side: flip(...) turns whole interfaces",
  ],
  HDL155_kind: [
    "HDL155 in OtherKind: connect: `s.done` is a stream, `m.done` is a plain port (interface-faults.ts:13). Declare both by one interface, one of them flipped",
  ],
  HDL155_shape: [
    "HDL155 in OtherShape: connect: `s.order` is { data: uint(8), last: bit }, `m.order` is { data: uint(16), last: bit } (interface-faults.ts:13). Give both one shape, or connect this member through map or an adapter of widths",
  ],
  HDL155_stream: [
    "HDL155 in InterfaceToStream: connect: `s` is an interface, and what it is joined with is none (interface-faults.ts:13). Join it with an end of an interface, or connect its members one by one",
  ],
  HDL155_struct: [
    "HDL155 in InterfaceToStruct: connect: `m` is an interface, and what it is joined with is none (interface-faults.ts:13). Join it with an end of an interface, or connect its members one by one",
  ],
};

describe("interfaces that do not fit", () => {
  for (const [key, def] of Object.entries(faults))
    test(key, () => expect(messageOf(def).split("\n")).toEqual(expected[key]));
  test("an interface is no number", () => {
    const Added = module(
      "Added",
      () => ({ s: flip(Job), m: Job }),
      io => {
        connect(io.s, io.m);
        Number(io.s);
      },
    );
    expect(() => emit(Added())).toThrow("HDL124 in Added: an interface is used as a JavaScript number");
  });
});
