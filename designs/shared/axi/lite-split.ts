import {
  arbiter, bit, connect, demux, gate, liteAddress, LiteRead, LiteResponse, liteSlavePorts, LiteWrite, map, module, reg, sink, source, when, type StreamIn,
} from "../../../hdl-dsl/index.ts";

/**
 * Two AXI4-Lite slaves side by side: `low_*` answers the lower half of the addresses, `high_*` the upper half; both are given the address within their half.
 * One access at a time in each direction. Latency: 0 cycles there and back; initiation interval: that of the slave, and 1. Full: an access waits until the one before has been answered.
 */
export const LiteSplit = module("LiteSplit",
  (p: { /** Of each half. */ readonly addressBits: number }) => {
    const master = <const N extends string>(name: N) => ({
      [`${name}_aw`]: source(liteAddress(p.addressBits)), [`${name}_w`]: source(LiteWrite), [`${name}_b`]: sink(LiteResponse), [`${name}_ar`]: source(liteAddress(p.addressBits)), [`${name}_r`]: sink(LiteRead),
    }) as never;
    type Half<N extends string> = { [K in `${N}_aw` | `${N}_ar`]: ReturnType<typeof source<ReturnType<typeof liteAddress>>> } & { [K in `${N}_w`]: ReturnType<typeof source<typeof LiteWrite>> }
      & { [K in `${N}_b`]: ReturnType<typeof sink<typeof LiteResponse>> } & { [K in `${N}_r`]: ReturnType<typeof sink<typeof LiteRead>> };
    return { ...liteSlavePorts(p.addressBits + 1), ...master("low") as Half<"low">, ...master("high") as Half<"high"> };
  },
  (io, p) => {
    type Address = StreamIn<ReturnType<typeof liteAddress>>;
    const within = (s: Address, name: string): Address => map(s, liteAddress(p.addressBits), a => ({ addr: a.addr.trunc(p.addressBits), prot: a.prot }), { name });

    const reading = reg(bit, { init: 0 });
    when(io.s_r.fire, () => { reading.set(0); }).elseWhen(io.s_ar.fire, () => { reading.set(1); });
    const [low_ar, high_ar] = demux(gate(io.s_ar, reading.not(), { name: "read_open" }), io.s_ar.payload.addr.bit(p.addressBits), 2, { name: "read_to" }) as [Address, Address];
    connect(within(low_ar, "read_low"), io.low_ar);
    connect(within(high_ar, "read_high"), io.high_ar);
    connect(arbiter([io.low_r, io.high_r], { policy: "priority", name: "read_back" }), io.s_r);

    const writing = reg(bit, { init: 0 });
    const high = reg(bit, { init: 0 });
    const given = reg(bit, { init: 0 });
    when(io.s_b.fire, () => { writing.set(0); given.set(0); }).otherwise(() => {
      when(io.s_aw.fire, () => { writing.set(1); high.set(io.s_aw.payload.addr.bit(p.addressBits)); });
      when(io.s_w.fire, () => { given.set(1); });
    });
    const [low_aw, high_aw] = demux(gate(io.s_aw, writing.not(), { name: "write_open" }), io.s_aw.payload.addr.bit(p.addressBits), 2, { name: "write_to" }) as [Address, Address];
    connect(within(low_aw, "write_low"), io.low_aw);
    connect(within(high_aw, "write_high"), io.high_aw);
    const [low_w, high_w] = demux(gate(io.s_w, writing.and(given.not()), { name: "data_open" }), high, 2, { name: "data_to" });
    connect(low_w as never, io.low_w);
    connect(high_w as never, io.high_w);
    connect(arbiter([io.low_b, io.high_b], { policy: "priority", name: "write_back" }), io.s_b);
  });
