import {
  axi4Bus,
  type Axi4Parameters,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  endOf,
  fromBits,
  memberPorts,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  vec,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { beatBytes, derived, type Parameters } from "../../config/index.ts";
import { LineAnswer, LineCommand, lineIdBits, Owner } from "../records/records.ts";

/** Accesses under way. */
const outstanding = 16;
const sizeOfBeat = Math.log2(beatBytes),
  incrementing = 1;

/** The bus of the lines: a beat of 64 bytes each, one ID. */
export const lineBus = (p: Parameters): Axi4Parameters => ({
  addressBits: derived(p).placeBits + derived(p).lineBits,
  idBits: 1,
  beatBytes,
});

/**
 * The lines behind AXI4, for caches that are too large for a chip: each command is a burst of one beat. Answers keep
 * the order of the commands. The bus orders neither reads nor writes against the other kind, so a command waits while
 * one of the same address is under way and either of them writes. Latency: the memory's and 4 cycles; initiation
 * interval 1, with 16 commands under way. Full: `command.ready` is 0. What the memory fails is answered `bad`; `failed`
 * tells that a write was, and stays until reset. Reset: nothing under way.
 */
export const LineAxi = module(
  "LineAxi",
  (p: Parameters) => ({
    command: sink(LineCommand(p)),
    answer: source(LineAnswer(p)),
    failed: output(bit),
    ...memberPorts("mem", axi4Bus(lineBus(p))),
  }),
  (io, p) => {
    const bus = endOf(axi4Bus(lineBus(p)), io, "mem"),
      { addressBits } = lineBus(p),
      wordBits = addressBits - sizeOfBeat,
      pointer = uint(Math.log2(outstanding));
    const Entry = struct({ owner: Owner, id: uint(lineIdBits(p)), write: bit, address: uint(wordBits) });
    const ring = reg(vec(Entry, outstanding), { name: "ring" }),
      used = reg(uint(outstanding), { init: 0, name: "used" }),
      head = reg(pointer, { init: 0, name: "head" }),
      tail = reg(pointer, { init: 0, name: "tail" }),
      written = reg(uint(pointer.width + 1), { init: 0, name: "written" });
    // A command is compared with all that are under way as it comes, and goes from a register: in the same cycle both
    // are too many levels. What it waits for then only grows less: nothing goes before it.
    const full = reg(bit, { init: 0, name: "held" }),
      c = reg(LineCommand(p), { name: "command_held" }),
      against = reg(uint(outstanding), { name: "compared" }),
      goes = wire(bit, { name: "goes" });
    const next = io.command.payload,
      clashes = (e: { readonly address: UInt; readonly write: Bit }): Bit =>
        e.address.eq(next.address).and(e.write.or(next.write));
    const before = node(clashes(c), { name: "clashes_with_last" });
    io.command.ready.set(full.not().or(goes));
    when(io.command.ready, () => full.set(io.command.valid));
    when(io.command.fire, () => {
      c.set(next);
      against.set(fromBits(ring.toArray().map((e, i): Bit => mux(full.and(tail.eq(i)), before, clashes(e)))));
    });
    const conflict = node(against.and(used).any(), { name: "conflict" });

    const aw = stream(bus.aw.shape, { name: "aw" }),
      w = stream(bus.w.shape, { name: "w" }),
      ar = stream(bus.ar.shape, { name: "ar" });
    const address = {
      addr: cat(c.address, constant(0, sizeOfBeat)).is(addressBits),
      id: 0,
      len: 0,
      size: sizeOfBeat,
      burst: incrementing,
    };
    const room = node(used.all().not().andNot(conflict), { name: "room" });
    goes.set(full.and(mux(c.write, aw.ready.and(w.ready), ar.ready)).and(room));
    aw.valid.set(goes.and(c.write));
    w.valid.set(goes.and(c.write));
    ar.valid.set(goes.andNot(c.write));
    aw.payload.set(address);
    ar.payload.set(address);
    w.payload.set({ data: c.data, strb: c.strb, last: 1 });
    connect(stage(aw, "full", { name: "aw_stage" }), bus.aw);
    connect(stage(w, "full", { name: "w_stage" }), bus.w);
    connect(stage(ar, "full", { name: "ar_stage" }), bus.ar);

    // The oldest: a read takes its data from the bus, a write its acknowledgement from those that have come.
    const oldest = node(used.shr(head).bit(0), { name: "oldest" }),
      e = ring.at(head);
    // Acknowledgements that have come, in the order of the writes: which of them are failures.
    const failures = reg(uint(outstanding), { name: "failures" }),
      ackedFirst = reg(pointer, { init: 0, name: "acked_first" }),
      ackedNext = reg(pointer, { init: 0, name: "acked_next" });
    const acked = node(written.any());
    const answers = node(oldest.and(mux(e.write, acked, bus.r.valid)), { name: "answers" });
    io.answer.valid.set(answers);
    io.answer.payload.set({
      owner: e.owner,
      id: e.id,
      data: bus.r.payload.data,
      bad: mux(e.write, failures.shr(ackedFirst).bit(0), bus.r.payload.resp.any()),
    });
    bus.r.ready.set(oldest.andNot(e.write).and(io.answer.ready));
    const leaves = node(io.answer.fire, { name: "leaves" });
    const acks = node(leaves.and(e.write));
    bus.b.ready.set(1);
    when(bus.b.valid, () => ackedNext.set(ackedNext.add(1)));
    when(acks, () => ackedFirst.set(ackedFirst.add(1)));
    const fails = node(bus.b.payload.resp.any());
    for (let i = 0; i < outstanding; i++) when(bus.b.valid.and(ackedNext.eq(i)), () => failures.setBits(i, fails));
    written.set(written.add(bus.b.valid.zext(written.width)).sub(acks.zext(written.width)));
    const failed = reg(bit, { init: 0, name: "write_failed" });
    when(bus.b.valid.and(fails), () => failed.set(1));
    io.failed.set(failed);

    const enters = goes;
    when(enters, () => {
      tail.set(tail.add(1));
      ring.setAt(tail, { owner: c.owner, id: c.id, write: c.write, address: c.address });
    });
    when(leaves, () => head.set(head.add(1)));
    for (let i = 0; i < outstanding; i++) {
      when(enters.and(tail.eq(i)), () => used.setBits(i, enters));
      when(leaves.and(head.eq(i)), () => used.setBits(i, leaves.not()));
    }
  },
  { nameOf: p => `LineAxi_s${p.sets}_w${p.ways}_l${p.lineBytes}_i${p.idBits}` },
);
