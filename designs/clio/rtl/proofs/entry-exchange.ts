/**
 * The exchange of table entries: no access of the node is under way between its read and its write, and it returns
 * the old entry.
 */
import {
  assertAlways,
  assumeAlways,
  axi4Master,
  axi4Slave,
  bit,
  type Bit,
  cat,
  connect,
  cover,
  type Inside,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  producerObeys,
  type Proof,
  reg,
  sink,
  source,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { EntryExchange } from "../slow-path/entry-exchange.ts";
import { Exchange, Exchanged } from "../slow-path/soc-port/ports.ts";

/** Bursts of a beat, one ID: the claims do not depend on them. */
const p = { addressBits: 4, idBits: 1, beatBytes: 8 };
/** Accesses of the node under way each way, at most. */
const MOST = 2;

const ports = () => ({
  ...axi4Slave("s", p),
  ...axi4Master("m", p),
  exchange: sink(Exchange(p.addressBits)),
  exchanged: source(Exchanged),
});
type Io = Inside<ReturnType<typeof ports>>;

/** The unit, between its surroundings. */
function connectAll(io: Io): void {
  const dut = instance("dut", EntryExchange(p));
  connect(io.sAr, dut.sAr);
  connect(io.sAw, dut.sAw);
  connect(io.sW, dut.sW);
  connect(dut.sR, io.sR);
  connect(dut.sB, io.sB);
  connect(dut.mAr, io.mAr);
  connect(dut.mAw, io.mAw);
  connect(dut.mW, io.mW);
  connect(io.mR, dut.mR);
  connect(io.mB, dut.mB);
  connect(io.exchange, dut.exchange);
  connect(dut.exchanged, io.exchanged);
}

/** What happens at the memory, and what of it is the exchange's own. */
function modelOf(io: Io) {
  const [ar, aw, w, r, b] = [
    node(io.mAr.fire),
    node(io.mAw.fire),
    node(io.mW.fire),
    node(io.mR.fire),
    node(io.mB.fire),
  ];
  const ownAr = node(ar.and(io.sAr.fire.not())),
    ownAw = node(aw.and(io.sAw.fire.not())),
    ownW = node(w.and(io.sW.fire.not()));

  const begun = reg(bit, { init: 0, name: "model_begun" });
  // Under way at the memory, each way; of the writes both parts.
  const count = (name: string, begins: Bit, ends: Bit) => {
    const underWay = reg(uint(2), { init: 0, name: `model_${name}` });
    underWay.set(mux(begins.and(ends.not()), underWay.add(1), mux(ends.and(begins.not()), underWay.sub(1), underWay)));
    return underWay;
  };
  const reads = count("reads", ar, r),
    addresses = count("addresses", aw, b),
    data = count("data", w, b),
    // An address counts from when the memory sees it.
    stands = reg(bit, { init: 0, name: "model_stands" }),
    shown = node(io.mAw.valid.and(begun.not()).and(stands.not())),
    owed = count("owed", shown, io.sW.fire);
  stands.set(io.mAw.valid.and(io.mAw.ready.not()));
  const nodeReads = count("node_reads", io.sAr.fire, io.sR.fire),
    nodeWrites = count("node_writes", io.sAw.fire, io.sB.fire);

  return { r, b, ownAr, ownAw, ownW, begun, reads, addresses, data, owed, nodeReads, nodeWrites };
}
type Model = ReturnType<typeof modelOf>;

/** Assumptions about the surroundings. */
function assume(io: Io, { reads, addresses, data, nodeReads, nodeWrites }: Model): void {
  producerObeys({ valid: io.sAr.valid, ready: io.sAr.ready, payload: io.sAr.payload.addr }, "s_ar");
  producerObeys({ valid: io.sAw.valid, ready: io.sAw.ready, payload: io.sAw.payload.addr }, "s_aw");
  producerObeys({ valid: io.sW.valid, ready: io.sW.ready, payload: io.sW.payload.strb }, "s_w");
  producerObeys(
    { valid: io.mR.valid, ready: io.mR.ready, payload: cat(io.mR.payload.data, io.mR.payload.resp) },
    "m_r",
  );
  producerObeys({ valid: io.mB.valid, ready: io.mB.ready, payload: io.mB.payload.resp }, "m_b");
  producerObeys(
    {
      valid: io.exchange.valid,
      ready: io.exchange.ready,
      payload: cat(io.exchange.payload.address, io.exchange.payload.bits),
    },
    "exchange",
  );
  assumeAlways(io.mR.valid.not().or(reads.any()), "a word comes for each read");
  assumeAlways(io.mB.valid.not().or(addresses.any().and(data.any())), "an answer comes for each write");
  assumeAlways(
    io.sAr.valid
      .not()
      .or(nodeReads.lt(MOST))
      .and(io.sAw.valid.not().or(nodeWrites.lt(MOST))),
    "the node has few accesses under way",
  );
  assumeAlways(io.sW.payload.last.and(io.mR.payload.last), "bursts have a beat");
}

/** From the exchange's read to the answer to its write. */
function exchangeOf(io: Io, { r, b, ownAr, ownAw, ownW, begun }: Model) {
  const addressed = reg(bit, { init: 0, name: "model_addressed" }),
    written = reg(bit, { init: 0, name: "model_written" });
  const found = reg(bit, { init: 0, name: "model_found" }),
    answered = reg(bit, { init: 0, name: "model_answered" });
  const old = reg(uint(64), { name: "model_old" });
  const readFailed = reg(bit, { init: 0, name: "model_read_failed" }),
    writeFailed = reg(bit, { init: 0, name: "model_write_failed" });
  const ownR = node(r.and(begun).and(found.not())),
    ownB = node(b.and(begun).and(answered.not()));
  when(ownAr, () => begun.set(1));
  when(ownR, () => {
    found.set(1);
    old.set(io.mR.payload.data);
    readFailed.set(io.mR.payload.resp.any());
  });
  when(ownAw, () => addressed.set(1));
  when(ownW, () => written.set(1));
  when(ownB, () => {
    answered.set(1);
    writeFailed.set(io.mB.payload.resp.any());
  });
  when(io.exchanged.fire, () => {
    begun.set(0);
    found.set(0);
    readFailed.set(0);
    writeFailed.set(0);
    addressed.set(0);
    written.set(0);
    answered.set(0);
  });
  return { addressed, written, found, answered, old, readFailed, writeFailed, ownR, ownB };
}
type Exchanging = ReturnType<typeof exchangeOf>;

/** When the exchange and the node may reach the memory. */
function claimOrder(
  io: Io,
  { ownAr, ownAw, ownW, begun, nodeReads, nodeWrites }: Model,
  { addressed, written, found, answered, readFailed }: Exchanging,
): void {
  const { address, bits } = io.exchange.payload,
    place = cat(address.bits(3, 1), address.bits(0, 3).and(0));
  assertAlways(ownAr.not().or(begun.not().and(io.exchange.valid)), "one read an exchange");
  assertAlways(
    ownAr.not().or(nodeReads.any().or(nodeWrites.any()).not()),
    "nothing of the node is under way when the exchange begins",
  );
  assertAlways(
    begun
      .and(answered.or(found.and(readFailed)).not())
      .and(io.sAr.fire.or(io.sAw.fire).or(io.sW.fire))
      .not(),
    "nothing of the node begins before the exchange has ended",
  );
  assertAlways(
    ownAw
      .not()
      .or(found.and(addressed.not()))
      .and(ownW.not().or(found.and(written.not()))),
    "one write an exchange, behind its read",
  );
  assertAlways(
    ownAr
      .not()
      .or(io.mAr.payload.addr.eq(place))
      .and(ownAw.not().or(io.mAw.payload.addr.eq(place))),
    "both at the exchange's address",
  );
  assertAlways(
    ownW.not().or(io.mW.payload.data.eq(bits).and(io.mW.payload.strb.all())),
    "the new bits are written, all of them",
  );
}

/** What the exchange tells, and what the node is told. */
function claimAnswers(
  io: Io,
  { ownAw, ownW, begun, owed }: Model,
  { addressed, written, found, answered, old, readFailed, writeFailed, ownR, ownB }: Exchanging,
): void {
  const told = io.exchanged.payload;
  assertAlways(
    io.exchanged.valid
      .not()
      .or(readFailed)
      .or(answered.and(addressed).and(written).and(told.old.eq(old)).and(told.writeFailed.eq(writeFailed))),
    "told when the write is in memory: what the read found, and whether the memory refused the write",
  );
  assertAlways(
    io.exchanged.valid.not().or(found.and(told.readFailed.eq(readFailed))),
    "whether the memory refused the read is told",
  );
  assertAlways(ownAw.or(ownW).and(readFailed).not(), "nothing is written when the memory refused the read");
  assertAlways(ownR.or(ownB).and(io.sR.fire.or(io.sB.fire)).not(), "the node gets no answer of the exchange");
  assertAlways(io.sW.fire.not().or(owed.any()), "data of the node pass behind their address");
  assertAlways(
    io.sW.valid.not().or(owed.any().not()).or(begun).or(io.mW.valid),
    "data wait for no address to be taken",
  );
  moduleObeys({ valid: io.mAr.valid, ready: io.mAr.ready, payload: io.mAr.payload.addr }, "m_ar");
  moduleObeys({ valid: io.mAw.valid, ready: io.mAw.ready, payload: io.mAw.payload.addr }, "m_aw");
  moduleObeys({ valid: io.mW.valid, ready: io.mW.ready, payload: io.mW.payload.strb }, "m_w");
  moduleObeys(
    {
      valid: io.exchanged.valid,
      ready: io.exchanged.ready,
      payload: cat(told.old, told.readFailed, told.writeFailed),
    },
    "exchanged",
  );
}

const harness = module("EntryExchangeProof", ports, io => {
  connectAll(io);
  const model = modelOf(io),
    { begun, nodeReads, nodeWrites } = model;
  assume(io, model);
  const exchange = exchangeOf(io, model);
  claimOrder(io, model, exchange);
  claimAnswers(io, model, exchange);
  const before = reg(bit, { init: 0, name: "model_before" });
  when(io.exchange.valid.and(nodeReads.any()).and(nodeWrites.any()), () => before.set(1));
  cover(io.exchanged.fire.and(before), "an exchange that had to wait for a read and a write of the node");
  cover(begun.and(io.sAr.valid).and(io.sAw.valid).and(exchange.ownB), "the node waits while the exchange ends");
});

export const entryExchangeProof: Proof = {
  module: "EntryExchange, 64 bits",
  long: true,
  harness: harness(),
  reach: 20,
  faults: [
    { what: "writes under way are not waited for", from: "& (writes == 10'd0)", to: "" },
    {
      what: "a write goes out after a read that the memory refused",
      from: "if (|m_r_payload_resp) state",
      to: "if (1'b0) state",
    },
    { what: "the node's data pass before their address", from: "wire w_open = |owed;", to: "wire w_open = 1'b1;" },
    {
      what: "data wait until the memory has taken their address",
      from: "s_w_valid & w_open",
      to: "s_w_valid & w_open & ~stands",
    },
  ],
};
