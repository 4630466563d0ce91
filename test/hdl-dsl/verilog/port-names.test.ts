/** Ports that look in Verilog as their surroundings want: names of the ecosystem, attributes, marks for Vivado. */
import { describe, expect, test } from "vitest";
import {
  axi4Bus,
  axiStream,
  bit,
  blackBox,
  busType,
  clockDomain,
  connect,
  type Def,
  emit,
  flip,
  inDomain,
  input,
  instance,
  interfaceOf,
  liteBus,
  module,
  output,
  type Ports,
  reg,
  sink,
  source,
  stage,
  struct,
  uint,
  withLook,
} from "../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, fromVerilog, type StreamIo, StreamSink, StreamSource } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";
import { lint } from "../support/lint.ts";

const axi = { names: "axi" } as const;
const portsOf = (def: Def): readonly string[] =>
  emit(def)
    .ports.filter(p => p.role === "data")
    .map(p => p.name);
const headOf = (def: Def): string => /^module [^;]*;/m.exec(emit(def).files.at(-1)?.text ?? "")?.[0] ?? "";

/** A register slice that drops into a block design. */
const Slice = module(
  "Slice",
  (p: { bytes: number }) => {
    const look = { ...axi, busType: busType.axiStream };
    return { sAxis: withLook(flip(axiStream(p.bytes)), look), mAxis: withLook(axiStream(p.bytes), look) };
  },
  io => connect(stage(io.sAxis), io.mAxis),
);
const Wrapped = module(
  "Wrapped",
  () => ({ from: flip(axiStream(4)), to: axiStream(4) }),
  io => {
    const slice = instance(Slice({ bytes: 4 }));
    connect(io.from, slice.sAxis);
    connect(slice.mAxis, io.to);
  },
);

describe("names of the ecosystem", () => {
  test("AXI-Stream", () => {
    expect(portsOf(Slice({ bytes: 8 }))).toEqual([
      ...["tvalid", "tready", "tdata", "tkeep", "tlast"].map(n => `s_axis_${n}`),
      ...["tvalid", "tready", "tdata", "tkeep", "tlast"].map(n => `m_axis_${n}`),
    ]);
    expect(lint(emit(Slice({ bytes: 8 })))).toBe("");
    expect(lint(emit(Wrapped()))).toBe("");
  });
  test("AXI4 and AXI4-Lite, one in an interface of more", () => {
    const p = { addressBits: 32, idBits: 4, beatBytes: 8 };
    const Core = interfaceOf({ axi: axi4Bus(p), irq: output(bit), rx: flip(axiStream(1)), raw: source(uint(8)) });
    const Lite = liteBus(12);
    const Bus = module(
      "Bus",
      () => ({
        s: withLook(flip(Lite), { ...axi, name: "s_axil" }),
        o: withLook(Lite, { ...axi, name: "M_AXIL" }),
        core: withLook(flip(Core), axi),
        m: withLook(Core, axi),
      }),
      io => {
        connect(io.core, io.m);
        connect(io.s, io.o);
      },
    );
    const text = (side: string, channel: string, fields: string): string[] =>
      fields.split(" ").map(f => `${side}_${channel}${f}`);
    expect(portsOf(Bus())).toEqual([
      ...["s_axil", "M_AXIL"].flatMap(side => [
        ...text(side, "aw", "valid ready addr prot"),
        ...text(side, "w", "valid ready data strb"),
        ...text(side, "b", "valid ready resp"),
        ...text(side, "ar", "valid ready addr prot"),
        ...text(side, "r", "valid ready data resp"),
      ]),
      ...["core", "m"].flatMap(side => [
        ...text(`${side}_axi`, "aw", "valid ready addr id len size burst"),
        ...text(`${side}_axi`, "w", "valid ready data strb last"),
        ...text(`${side}_axi`, "b", "valid ready id resp"),
        ...text(`${side}_axi`, "ar", "valid ready addr id len size burst"),
        ...text(`${side}_axi`, "r", "valid ready data id resp last"),
        `${side}_irq`,
        ...text(`${side}_rx`, "t", "valid ready data keep last"),
        ...text(`${side}_raw`, "t", "valid ready data"),
      ]),
    ]);
  });
  test("words of one's own, for all parts or some; a vendor's names as they are", () => {
    const Beat = struct({ data: uint(8), last: bit });
    const names = { valid: "vld", ready: "rdy", "payload.last": "eop" };
    const Own = module(
      "Own",
      () => ({
        rx: sink(Beat, { look: { names } }),
        tx: source(Beat, { look: { names, name: "TX" } }),
        reset: input(bit, { look: { name: "CPU_RESETN" } }),
        held: output(bit),
      }),
      io => {
        connect(io.rx, io.tx);
        io.held.set(io.reset);
      },
    );
    expect(portsOf(Own())).toEqual([
      ...["rx_vld", "rx_rdy", "rx_payload_data", "rx_eop"],
      ...["TX_vld", "TX_rdy", "TX_payload_data", "TX_eop", "CPU_RESETN", "held"],
    ]);
    expect(lint(emit(Own()))).toBe("");
    const Vendor = blackBox("Vendor", {
      s_axis: withLook(flip(axiStream(4)), axi),
      M_AXIS: withLook(axiStream(4), axi),
    });
    const Top = module(
      "Top",
      () => ({ from: flip(axiStream(4)), to: axiStream(4) }),
      io => {
        const vendor = instance(Vendor);
        connect(io.from, vendor.s_axis);
        connect(vendor.M_AXIS, io.to);
      },
    );
    const text = emit(Top()).files.at(-1)?.text ?? "";
    for (const pin of [".s_axis_tdata", ".M_AXIS_tlast"]) expect(text).toContain(pin);
  });
  type Beat = ReturnType<typeof axiStream>["shape"];
  const passes = async (b: Bench, from: StreamIo<Beat, "in">, to: StreamIo<Beat, "out">): Promise<void> => {
    const into = new StreamSource(b.sim, from, { pause: bernoulli(0.4, 1) }),
      out = new StreamSink(b.sim, to, { pause: bernoulli(0.4, 2) });
    const sent = Array.from({ length: 50 }, (_, i) => ({ data: b.random.word(), keep: 15, last: i & 1 }));
    for (const v of sent) into.send(v);
    await b.until(() => out.received.length === sent.length);
    expect(out.received.map(r => r.value)).toEqual(sent);
  };
  bench("a bench knows the ports by their declaration", Slice({ bytes: 4 }), {}, b =>
    passes(b, b.io.sAxis, b.io.mAxis),
  );
  bench("at an instance too", Wrapped(), {}, b => passes(b, b.io.from, b.io.to));
  test("Verilog from elsewhere is taken by these names too", () => {
    const foreign = fromVerilog("dut", { sAxis: withLook(flip(axiStream(2)), axi) }, "module dut; endmodule");
    expect(foreign.emitted.ports.map(p => p.name)).toEqual([
      "clk",
      "rst",
      ...["tvalid", "tready", "tdata", "tkeep", "tlast"].map(n => `s_axis_${n}`),
    ]);
    expect(foreign.emitted.streams).toEqual([
      {
        name: "s_axis",
        dir: "in",
        valid: "s_axis_tvalid",
        ready: "s_axis_tready",
        payload: ["s_axis_tdata", "s_axis_tkeep", "s_axis_tlast"],
      },
    ]);
  });
});

describe("attributes", () => {
  test("of a port, of all of a struct, of an interface and what is in it", () => {
    const Bus = withLook(
      interfaceOf({
        level: output(uint(2), { look: { attributes: { keep: "false", max_fanout: 8 } } }),
        ack: input(bit),
      }),
      { attributes: { keep: "true", mark_debug: "true" } },
    );
    const Marked = module(
      "Marked",
      () => ({ a: input(bit, { look: { attributes: { io_buffer_type: "none" } } }), m: Bus }),
      io => {
        io.m.level.set(io.a.zext(2).add(io.m.ack.zext(2)));
      },
    );
    expect(headOf(Marked())).toBe(`module Marked (
  (* io_buffer_type = "none" *)
  input  wire       a,
  (* keep = "false" *)
  (* mark_debug = "true" *)
  (* max_fanout = 8 *)
  output wire [1:0] m_level,
  (* keep = "true" *)
  (* mark_debug = "true" *)
  input  wire       m_ack
);`);
    expect(lint(emit(Marked()))).toBe("");
  });
  test("Vivado is told of buses, and which clock and reset are theirs", () => {
    expect(headOf(Slice({ bytes: 1 }))).toBe(`module Slice_bytes1 (
  (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 clk CLK" *)
  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis:m_axis, ASSOCIATED_RESET rst" *)
  input  wire       clk,
  (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 rst RST" *)
  (* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_HIGH" *)
  input  wire       rst,
  // s_axis: stream in
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 s_axis TVALID" *)
  input  wire       s_axis_tvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 s_axis TREADY" *)
  output wire       s_axis_tready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 s_axis TDATA" *)
  input  wire [7:0] s_axis_tdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 s_axis TKEEP" *)
  input  wire       s_axis_tkeep,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 s_axis TLAST" *)
  input  wire       s_axis_tlast,
  // m_axis: stream out
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TVALID" *)
  output wire       m_axis_tvalid,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TREADY" *)
  input  wire       m_axis_tready,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TDATA" *)
  output wire [7:0] m_axis_tdata,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TKEEP" *)
  output wire       m_axis_tkeep,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TLAST" *)
  output wire       m_axis_tlast
);`);
  });
  test("each clock is told of its own buses; one without any, of nothing", () => {
    const Cross = module(
      "Cross",
      () => {
        const look = { ...axi, busType: busType.axiStream };
        return {
          sAxis: sink(bit, { look }),
          mAxis: source(bit, { look, domain: "net" }),
          level: output(bit, { domain: "plain" }),
        };
      },
      io => {
        const seen = reg(bit, { init: 0 });
        seen.set(io.sAxis.fire.and(io.sAxis.payload));
        io.sAxis.ready.set(seen);
        inDomain(clockDomain("net", { reset: "none" }), () => {
          const held = reg(bit);
          held.set(io.mAxis.ready);
          io.mAxis.valid.set(0);
          io.mAxis.payload.set(held);
        });
        inDomain(clockDomain("plain"), () => {
          const high = reg(bit, { init: 0 });
          high.set(high.not());
          io.level.set(high);
        });
      },
    );
    const told = headOf(Cross()).match(/ASSOCIATED_BUSIF[^"]*|_(?:clk|rst) (?:CLK|RST)/g);
    expect(told).toEqual(["ASSOCIATED_BUSIF s_axis, ASSOCIATED_RESET rst", "_clk CLK", "ASSOCIATED_BUSIF m_axis"]);
    expect(lint(emit(Cross()))).toBe("");
  });
});

describe("looks that cannot be", () => {
  const refused = (ports: Ports): Def =>
    module(
      "Bad",
      () => ports,
      () => undefined,
    )();
  test("two ports of one name, and a name that is none", () => {
    expect(() =>
      emit(refused({ a: input(bit, { unused: true }), b: input(bit, { unused: true, look: { name: "a" } }) })),
    ).toThrow("HDL017 in Bad: ports `a` and `b` of the top module would both be called `a`");
    expect(() => emit(refused({ a: input(bit, { unused: true, look: { name: "3v3" } }) }))).toThrow(
      "HDL017 in Bad: port `a` of the top module: `3v3` is no identifier of Verilog",
    );
  });
  test("names for parts that a port does not have", () => {
    const Bad = module(
      "Bad",
      () => ({ a: sink(uint(8), { look: { names: { vaild: "vld" } } }) }),
      io => io.a.ready.set(1),
    );
    expect(() => emit(Bad())).toThrow(
      "the names of port a have vaild, which is none of its parts: valid, ready, payload",
    );
  });
});
