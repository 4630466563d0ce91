import { bit, connect, constant, fork, gate, join, liteAddress, LiteRead, LiteResponse, liteSlavePorts, LiteWrite, module, mux, node, reg, sink, source, uint, when, type UInt } from "../../../../hdl-dsl/index.ts";
import { counterNames } from "../../config/index.ts";
import { counterBase, fieldPlace, registerAddressBits } from "../../registers/index.ts";
import { inwardsOf, outwardsOf, perPartition } from "./partition-ports.ts";

/**
 * The registers of several nodes as those of one: what is written, all get; what is read is node 0's, but counters and the free pages are the sum of all. A counter's high word is that of when its low word
 * was read, the carry of the sum included. Errors are node 0's.
 * Latency: 0 cycles there and back; initiation interval: that of a slave, and 1; one access at a time in each direction. Full: an access waits until the one before has been answered.
 */
export const LiteBroadcast = module("LiteBroadcast",
  (p: { readonly nodes: number }) => {
    const address = liteAddress(registerAddressBits);
    return {
      ...liteSlavePorts(registerAddressBits), ...perPartition("to_aw", p.nodes, source(address)), ...perPartition("to_w", p.nodes, source(LiteWrite)), ...perPartition("to_b", p.nodes, sink(LiteResponse)),
      ...perPartition("to_ar", p.nodes, source(address)), ...perPartition("to_r", p.nodes, sink(LiteRead)),
    };
  },
  (io, p) => {
    const Address = liteAddress(registerAddressBits), n = p.nodes;
    const s_ar = io.s_ar, s_aw = io.s_aw, s_w = io.s_w;

    // Reads. What is being read is known by the time all have answered.
    const reading = reg(bit, { init: 0 });
    const summed = reg(bit);
    const high = reg(bit);
    fork(gate(s_ar, reading.not(), { name: "read_open" }), n, "eager", { name: "read_to" }).forEach((s, i) => { connect(s, outwardsOf(io, "to_ar", n, Address)[i] as never); });
    const at = node(s_ar.payload.addr.bits(2, registerAddressBits - 2));
    const counts = node(at.ge(counterBase / 4).and(at.lt(counterBase / 4 + 2 * counterNames.length)));
    when(s_ar.fire, () => {
      reading.set(1);
      summed.set(counts.or(at.eq(fieldPlace("freePages").register.address / 4)));
      high.set(counts.and(at.sub(counterBase / 4).bit(0)));
    }).elseWhen(io.s_r.fire, () => { reading.set(0); });
    const words = join(Object.fromEntries(inwardsOf(io, "to_r", n, LiteRead).map((s, i) => [`r${i}`, s])), { name: "words" });
    const read = Object.values(words.payload as unknown as Readonly<Record<string, { readonly data: UInt; readonly resp: UInt }>>);
    const extra = Math.log2(n), wide = 32 + extra;
    const carry = reg(uint(extra), { init: 0 });
    const total = node(read.map(r => r.data.zext(wide)).reduce((a, b) => a.add(b), mux(high, carry.zext(wide), constant(0, wide))));
    when(io.s_r.fire.and(summed).and(high.not()), () => { carry.set(total.bits(32, extra)); });
    io.s_r.valid.set(words.valid);
    io.s_r.payload.set({ data: mux(summed, total.trunc(32), read[0]?.data as UInt), resp: read[0]?.resp as UInt } as never);
    words.ready.set(io.s_r.ready);

    // Writes.
    const writing = reg(bit, { init: 0 });
    const given = reg(bit, { init: 0 });
    fork(gate(s_aw, writing.not(), { name: "write_open" }), n, "eager", { name: "write_to" }).forEach((s, i) => { connect(s, outwardsOf(io, "to_aw", n, Address)[i] as never); });
    fork(gate(s_w, given.not(), { name: "data_open" }), n, "eager", { name: "data_to" }).forEach((s, i) => { connect(s, outwardsOf(io, "to_w", n, LiteWrite)[i] as never); });
    when(io.s_b.fire, () => { writing.set(0); given.set(0); }).otherwise(() => {
      when(s_aw.fire, () => { writing.set(1); });
      when(s_w.fire, () => { given.set(1); });
    });
    const answers = join(Object.fromEntries(inwardsOf(io, "to_b", n, LiteResponse).map((s, i) => [`b${i}`, s])), { name: "answers" });
    io.s_b.valid.set(answers.valid);
    io.s_b.payload.set((answers.payload as unknown as Readonly<Record<string, { readonly resp: UInt }>>)["b0"] as never);
    answers.ready.set(io.s_b.ready);
  });
