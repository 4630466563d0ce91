import {
  arbiter,
  bit,
  connect,
  demux,
  gate,
  liteAddress,
  LiteRead,
  LiteResponse,
  liteSlavePorts,
  LiteWrite,
  map,
  module,
  prefixPorts,
  reg,
  sink,
  source,
  type StreamIn,
  when,
} from "../../../hdl-dsl/index.ts";

/**
 * Two AXI4-Lite slaves side by side: `low_*` answers the lower half of the addresses, `high_*` the upper half; both are
 * given the address within their half.
 * One access at a time in each direction. Latency: 0 cycles there and back; initiation interval: that of the slave,
 * and 1. Full: an access waits until the one before has been answered.
 */
export const LiteSplit = module(
  "LiteSplit",
  (p: { /** Of each half. */ readonly addressBits: number }) => {
    const master = {
      Aw: source(liteAddress(p.addressBits)),
      W: source(LiteWrite),
      B: sink(LiteResponse),
      Ar: source(liteAddress(p.addressBits)),
      R: sink(LiteRead),
    };
    return {
      ...liteSlavePorts(p.addressBits + 1),
      ...prefixPorts("low", master),
      ...prefixPorts("high", master),
    };
  },
  (io, p) => {
    type Address = StreamIn<ReturnType<typeof liteAddress>>;
    const within = (s: Address, name: string): Address =>
      map(s, liteAddress(p.addressBits), a => ({ addr: a.addr.trunc(p.addressBits), prot: a.prot }), { name });

    const reading = reg(bit, { init: 0 });
    when(io.sR.fire, () => reading.set(0)).elseWhen(io.sAr.fire, () => reading.set(1));
    const [lowAr, highAr] = demux(
      gate(io.sAr, reading.not(), { name: "read_open" }),
      io.sAr.payload.addr.bit(p.addressBits),
      2,
      { name: "read_to" },
    );
    connect(within(lowAr, "read_low"), io.lowAr);
    connect(within(highAr, "read_high"), io.highAr);
    connect(arbiter([io.lowR, io.highR], { policy: "priority", name: "read_back" }), io.sR);

    const writing = reg(bit, { init: 0 });
    const high = reg(bit, { init: 0 });
    const given = reg(bit, { init: 0 });
    when(io.sB.fire, () => {
      writing.set(0);
      given.set(0);
    }).otherwise(() => {
      when(io.sAw.fire, () => {
        writing.set(1);
        high.set(io.sAw.payload.addr.bit(p.addressBits));
      });
      when(io.sW.fire, () => given.set(1));
    });
    const [lowAw, highAw] = demux(
      gate(io.sAw, writing.not(), { name: "write_open" }),
      io.sAw.payload.addr.bit(p.addressBits),
      2,
      { name: "write_to" },
    );
    connect(within(lowAw, "write_low"), io.lowAw);
    connect(within(highAw, "write_high"), io.highAw);
    const [lowW, highW] = demux(gate(io.sW, writing.and(given.not()), { name: "data_open" }), high, 2, {
      name: "data_to",
    });
    connect(lowW, io.lowW);
    connect(highW, io.highW);
    connect(arbiter([io.lowB, io.highB], { policy: "priority", name: "write_back" }), io.sB);
  },
);
