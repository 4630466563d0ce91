/** The exchange of table entries: no access of the node is under way between its read and its write, and it tells what it found. */
import {
  assertAlways, assumeAlways, axi4Master, axi4Slave, bit, cat, connect, cover, instance, module, moduleObeys, mux, node, producerObeys, reg, sink, source, uint, when, type Bit, type Proof,
} from "../../../../hdl-dsl/index.ts";
import { EntryExchange } from "../slow-path/entry-exchange.ts";
import { Exchange } from "../slow-path/soc-port.ts";

/** Bursts of a beat, one ID: what is proved does not look at them. */
const p = { addressBits: 4, idBits: 1, beatBytes: 8 };
/** Accesses of the node under way each way, at most. */
const MOST = 2;

const harness = module("EntryExchangeProof",
  () => ({ ...axi4Slave("s", p), ...axi4Master("m", p), exchange: sink(Exchange(p.addressBits)), exchanged: source(uint(64)) }),
  io => {
    const dut = instance("dut", EntryExchange(p));
    connect(io.s_ar, dut.s_ar); connect(io.s_aw, dut.s_aw); connect(io.s_w, dut.s_w); connect(dut.s_r, io.s_r); connect(dut.s_b, io.s_b);
    connect(dut.m_ar, io.m_ar); connect(dut.m_aw, io.m_aw); connect(dut.m_w, io.m_w); connect(io.m_r, dut.m_r); connect(io.m_b, dut.m_b);
    connect(io.exchange, dut.exchange); connect(dut.exchanged, io.exchanged);
    const [ar, aw, w, r, b] = [node(io.m_ar.fire), node(io.m_aw.fire), node(io.m_w.fire), node(io.m_r.fire), node(io.m_b.fire)];
    const own_ar = node(ar.and(io.s_ar.fire.not())), own_aw = node(aw.and(io.s_aw.fire.not())), own_w = node(w.and(io.s_w.fire.not()));

    // Under way at the memory, each way; of the writes both parts.
    const count = (name: string, begins: Bit, ends: Bit) => {
      const under_way = reg(uint(2), { init: 0, name: `model_${name}` });
      under_way.set(mux(begins.and(ends.not()), under_way.add(1), mux(ends.and(begins.not()), under_way.sub(1), under_way)));
      return under_way;
    };
    const reads = count("reads", ar, r), addresses = count("addresses", aw, b), data = count("data", w, b), owed = count("owed", io.s_aw.fire, io.s_w.fire);
    const node_reads = count("node_reads", io.s_ar.fire, io.s_r.fire), node_writes = count("node_writes", io.s_aw.fire, io.s_b.fire);

    // What the surroundings promise.
    producerObeys({ valid: io.s_ar.valid, ready: io.s_ar.ready, payload: io.s_ar.payload.addr }, "s_ar");
    producerObeys({ valid: io.s_aw.valid, ready: io.s_aw.ready, payload: io.s_aw.payload.addr }, "s_aw");
    producerObeys({ valid: io.s_w.valid, ready: io.s_w.ready, payload: io.s_w.payload.strb }, "s_w");
    producerObeys({ valid: io.m_r.valid, ready: io.m_r.ready, payload: io.m_r.payload.data }, "m_r");
    producerObeys({ valid: io.m_b.valid, ready: io.m_b.ready, payload: io.m_b.payload.resp }, "m_b");
    producerObeys({ valid: io.exchange.valid, ready: io.exchange.ready, payload: cat(io.exchange.payload.address, io.exchange.payload.bits) }, "exchange");
    assumeAlways(io.m_r.valid.not().or(reads.any()), "a word comes for each read");
    assumeAlways(io.m_b.valid.not().or(addresses.any().and(data.any())), "an answer comes for each write");
    assumeAlways(io.s_ar.valid.not().or(node_reads.lt(MOST)).and(io.s_aw.valid.not().or(node_writes.lt(MOST))), "the node has few accesses under way");
    assumeAlways(io.s_w.payload.last.and(io.m_r.payload.last), "bursts have a beat");

    // From the exchange's read to the answer to its write.
    const begun = reg(bit, { init: 0, name: "model_begun" }), addressed = reg(bit, { init: 0, name: "model_addressed" }), written = reg(bit, { init: 0, name: "model_written" });
    const found = reg(bit, { init: 0, name: "model_found" }), answered = reg(bit, { init: 0, name: "model_answered" });
    const old = reg(uint(64), { name: "model_old" });
    const own_r = node(r.and(begun).and(found.not())), own_b = node(b.and(begun).and(answered.not()));
    when(own_ar, () => { begun.set(1); });
    when(own_r, () => { found.set(1); old.set(io.m_r.payload.data); });
    when(own_aw, () => { addressed.set(1); });
    when(own_w, () => { written.set(1); });
    when(own_b, () => { answered.set(1); });
    when(io.exchanged.fire, () => { begun.set(0); found.set(0); addressed.set(0); written.set(0); answered.set(0); });
    const { address, bits } = io.exchange.payload, place = cat(address.bits(3, 1), address.bits(0, 3).and(0));
    assertAlways(own_ar.not().or(begun.not().and(io.exchange.valid)), "one read an exchange");
    assertAlways(own_ar.not().or(node_reads.any().or(node_writes.any()).not()), "nothing of the node is under way when the exchange begins");
    assertAlways(begun.and(answered.not()).and(io.s_ar.fire.or(io.s_aw.fire).or(io.s_w.fire)).not(), "nothing of the node begins before the exchange has ended");
    assertAlways(own_aw.not().or(found.and(addressed.not())).and(own_w.not().or(found.and(written.not()))), "one write an exchange, behind its read");
    assertAlways(own_ar.not().or(io.m_ar.payload.addr.eq(place)).and(own_aw.not().or(io.m_aw.payload.addr.eq(place))), "both at the exchange's address");
    assertAlways(own_w.not().or(io.m_w.payload.data.eq(bits).and(io.m_w.payload.strb.all())), "the new bits are written, all of them");
    assertAlways(io.exchanged.valid.not().or(answered.and(addressed).and(written).and(io.exchanged.payload.eq(old))), "told when the write is in memory: what the read found");
    assertAlways(own_r.or(own_b).and(io.s_r.fire.or(io.s_b.fire)).not(), "the node gets no answer of the exchange");
    assertAlways(io.s_w.fire.not().or(owed.any()), "data of the node pass behind their address");
    moduleObeys({ valid: io.m_ar.valid, ready: io.m_ar.ready, payload: io.m_ar.payload.addr }, "m_ar");
    moduleObeys({ valid: io.m_aw.valid, ready: io.m_aw.ready, payload: io.m_aw.payload.addr }, "m_aw");
    moduleObeys({ valid: io.m_w.valid, ready: io.m_w.ready, payload: io.m_w.payload.strb }, "m_w");
    moduleObeys({ valid: io.exchanged.valid, ready: io.exchanged.ready, payload: io.exchanged.payload }, "exchanged");

    const before = reg(bit, { init: 0, name: "model_before" });
    when(io.exchange.valid.and(node_reads.any()).and(node_writes.any()), () => { before.set(1); });
    cover(io.exchanged.fire.and(before), "an exchange that had to wait for a read and a write of the node");
    cover(begun.and(io.s_ar.valid).and(io.s_aw.valid).and(own_b), "the node waits while the exchange ends");
  });

export const entryExchangeProof: Proof = {
  module: "EntryExchange, 64 bits",
  harness: harness(),
  reach: 20,
  faults: [
    { what: "writes under way are not waited for", from: "& (writes == 10'd0)", to: "" },
    { what: "the node's data pass before their address", from: "wire w_open = |owed;", to: "wire w_open = 1'b1;" },
  ],
};
