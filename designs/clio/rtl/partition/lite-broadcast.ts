import {
  arrayOf,
  bit,
  connect,
  constant,
  fork,
  gate,
  join,
  liteAddress,
  LiteRead,
  LiteResponse,
  liteSlavePorts,
  LiteWrite,
  mergePorts,
  module,
  mux,
  node,
  portArray,
  portOf,
  reg,
  sink,
  source,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { counterNames } from "../../config/index.ts";
import { counterBase, fieldPlace, registerAddressBits } from "../../registers/index.ts";

/**
 * The registers of several nodes as those of one. A write goes to all nodes. A read returns node 0's register, but
 * counters and the free pages are the sum of all. A counter's high word is that of when its low word was read, the
 * carry of the sum included. Errors are node 0's. Latency: 0 cycles there and back; initiation interval: that of a
 * slave, and 1; one access at a time in each direction. Full: an access waits until the one before has been answered.
 */
export const LiteBroadcast = module(
  "LiteBroadcast",
  (p: { readonly nodes: number }) => {
    const address = liteAddress(registerAddressBits);
    return mergePorts(
      liteSlavePorts(registerAddressBits),
      portArray("toAw", p.nodes, source(address)),
      portArray("toW", p.nodes, source(LiteWrite)),
      portArray("toB", p.nodes, sink(LiteResponse)),
      portArray("toAr", p.nodes, source(address)),
      portArray("toR", p.nodes, sink(LiteRead)),
    );
  },
  (io, p) => {
    const n = p.nodes;
    const sAr = io.sAr,
      sAw = io.sAw,
      sW = io.sW;

    // Reads. The kind of register is held until all nodes have answered.
    const reading = reg(bit, { init: 0 });
    const summed = reg(bit);
    // A counter's halves: other sums leave the carry alone.
    const low = reg(bit);
    const high = reg(bit);
    fork(gate(sAr, reading.not(), { name: "read_open" }), n, "eager", { name: "read_to" }).forEach((s, i) =>
      connect(s, portOf(io, "toAr", i)),
    );
    const at = node(sAr.payload.addr.bits(2, registerAddressBits - 2));
    const counts = node(at.ge(counterBase / 4).and(at.lt(counterBase / 4 + 2 * counterNames.length)));
    when(sAr.fire, () => {
      reading.set(1);
      summed.set(counts.or(at.eq(fieldPlace("freePages").register.address / 4)));
      const isHigh = node(at.sub(counterBase / 4).bit(0));
      low.set(counts.andNot(isHigh));
      high.set(counts.and(isHigh));
    }).elseWhen(io.sR.fire, () => reading.set(0));
    const words = join(Object.fromEntries(arrayOf(io, "toR", n).map((s, i) => [`r${i}`, s])), {
      name: "words",
    });
    const read = Object.values(words.payload);
    const extra = Math.log2(n),
      wide = 32 + extra;
    const carry = reg(uint(extra), { init: 0 });
    const total = node(
      read.map(r => r.data.zext(wide)).reduce((a, b) => a.add(b), mux(high, carry.zext(wide), constant(0, wide))),
    );
    when(io.sR.fire.and(low), () => carry.set(total.bits(32, extra)));
    io.sR.valid.set(words.valid);
    io.sR.payload.set({
      data: mux(summed, total.trunc(32), read[0]?.data as UInt),
      resp: read[0]?.resp as UInt,
    });
    words.ready.set(io.sR.ready);

    // Writes.
    const writing = reg(bit, { init: 0 });
    const given = reg(bit, { init: 0 });
    fork(gate(sAw, writing.not(), { name: "write_open" }), n, "eager", { name: "write_to" }).forEach((s, i) =>
      connect(s, portOf(io, "toAw", i)),
    );
    fork(gate(sW, given.not(), { name: "data_open" }), n, "eager", { name: "data_to" }).forEach((s, i) =>
      connect(s, portOf(io, "toW", i)),
    );
    when(io.sB.fire, () => {
      writing.set(0);
      given.set(0);
    }).otherwise(() => {
      when(sAw.fire, () => writing.set(1));
      when(sW.fire, () => given.set(1));
    });
    const answers = join(Object.fromEntries(arrayOf(io, "toB", n).map((s, i) => [`b${i}`, s])), {
      name: "answers",
    });
    io.sB.valid.set(answers.valid);
    io.sB.payload.set(answers.payload["b0"] as Val<typeof LiteResponse>);
    answers.ready.set(io.sB.ready);
  },
);
