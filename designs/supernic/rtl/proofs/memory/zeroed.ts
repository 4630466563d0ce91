/**
 * A page is zeroed before it can be a task's: what the mover hands out as free has had zeros written to every byte,
 * and the memory has answered each burst without an error. One beat of the page is watched; all have the same hardware.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cat,
  connect,
  constant,
  cover,
  input,
  instance,
  module,
  node,
  output,
  type Proof,
  reg,
  sink,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { Move, PageMover } from "../../memory/index.ts";

/** Pages of 4 KB, the least there are: 4 bursts of 16 beats. */
const p = { ways: 2, pages: 4, spaces: 2, pageShift: 12, ppnBits: 2, freePages: 2 } as const,
  BURST = 2,
  BEAT = 9;

const harness = module(
  "ZeroedPageProof",
  () => ({
    move: sink(Move(p)),
    freeRoom: input(bit),
    awReady: input(bit),
    wReady: input(bit),
    freeReady: input(bit),
    movedReady: input(bit),
    answers: input(bit),
    bad: input(bit),
    freed: output(bit),
  }),
  io => {
    const dut = instance("dut", PageMover(p));
    connect(io.move, dut.move);
    dut.freeRoom.set(io.freeRoom);
    dut.free.ready.set(io.freeReady);
    dut.moved.ready.set(io.movedReady);
    // Pages only become zero here: `out` and `in` have nobody at their ends, and never end.
    dut.out.ready.set(0);
    dut.in.valid.set(0);
    dut.in.payload.set({ data: 0 });
    dut.ar.ready.set(0);
    dut.r.valid.set(0);
    dut.r.payload.set({ data: 0, id: 0, resp: 0, last: 0 });
    dut.aw.ready.set(io.awReady);
    dut.w.ready.set(io.wReady);

    // The memory: it answers bursts whose address and data it has, in their order.
    const addresses = reg(uint(3), { init: 0, name: "model_addresses" }),
      bursts = reg(uint(3), { init: 0, name: "model_bursts" }),
      answered = reg(uint(3), { init: 0, name: "model_answered" }),
      beat = reg(uint(4), { init: 0, name: "model_beat" }),
      page = reg(uint(p.ppnBits), { name: "model_page" }),
      zero = reg(bit, { init: 0, name: "model_zero" }),
      told = reg(bit, { init: 0, name: "model_address_told" }),
      fine = reg(bit, { init: 0, name: "model_fine" }),
      failed = reg(bit, { init: 0, name: "model_failed" });
    const mayAnswer = node(answered.lt(addresses).and(answered.lt(bursts)), { name: "model_may_answer" });
    assumeAlways(io.answers.not().or(mayAnswer), "the memory answers what it has");
    dut.b.valid.set(io.answers);
    dut.b.payload.set({ id: 0, resp: cat(io.bad, constant(0, 1)) });
    const begins = node(io.move.valid.and(io.move.ready), { name: "model_begins" }),
      addressed = node(dut.aw.valid.and(io.awReady), { name: "model_addressed" }),
      wrote = node(dut.w.valid.and(io.wReady), { name: "model_wrote" });
    when(addressed, () => addresses.set(addresses.add(1)));
    when(wrote, () => {
      beat.set(beat.add(1));
      when(beat.all(), () => bursts.set(bursts.add(1)));
    });
    when(io.answers, () => answered.set(answered.add(1)));

    // The beat that is watched: its burst's address, its data, the burst's answer.
    const itsAddress = node(addressed.and(addresses.eq(BURST)), { name: "model_its_address" }),
      itsBeat = node(wrote.and(bursts.eq(BURST)).and(beat.eq(BEAT)), { name: "model_its_beat" }),
      itsAnswer = node(io.answers.and(answered.eq(BURST)), { name: "model_its_answer" }),
      isPlace = dut.aw.payload.addr.shr(10).eq(page.zext(dut.aw.payload.addr.width).shl(2).add(BURST)),
      isWhole = node(dut.aw.payload.len.eq(15).and(dut.aw.payload.size.eq(6)), { name: "model_is_whole" });
    when(itsAddress, () => told.set(isPlace.and(isWhole)));
    when(itsBeat, () => zero.set(dut.w.payload.data.any().not().and(dut.w.payload.strb.all())));
    when(itsAnswer, () => fine.set(io.bad.not()));
    when(io.answers.and(io.bad), () => failed.set(1));
    when(begins, () => {
      addresses.set(0);
      bursts.set(0);
      answered.set(0);
      page.set(io.move.payload.ppn);
      told.set(0);
      zero.set(0);
      fine.set(0);
      failed.set(0);
    });
    const free = dut.free.valid;
    io.freed.set(free);
    assertAlways(free.not().or(dut.free.payload.eq(page)), "the page that is free is the one that was named");
    assertAlways(free.not().or(told.and(zero)), "zeros were written to each byte of a free page");
    assertAlways(free.not().or(fine.andNot(failed)), "the memory has taken them all without an error");
    assertAlways(wrote.not().or(dut.w.payload.last.eq(beat.all())), "a burst ends with its last beat");
    // A free page takes 66 cycles, too many for the search of covers. That there is one the faults show.
    cover(io.answers.and(io.bad.not()), "a burst is answered");
    cover(dut.moved.valid, "a page for which there is no room is told");
  },
);

export const zeroedProof: Proof = {
  module: "PageMover: a free page is zero, pages of 4 KB",
  harness: harness(),
  own: true,
  long: true,
  by: "abc pdr",
  reach: 24,
  faults: [
    { what: "an error is forgotten", from: "if (answer_is_bad) bad <= 1'b1;", to: "" },
    {
      what: "a page is free when its bursts are asked for",
      from: /page_done = [^;]*;/,
      to: "page_done = busy_q & bursts_asked[2];",
    },
    {
      what: "a page that has no room is free unwritten",
      from: /page_is_free = [^;]*;/,
      to: "page_is_free = page_done & is_zero & ~bad;",
    },
    {
      what: "the beats of a page that came in before are written",
      from: /w_payload_data = [^;]*;/,
      to: "w_payload_data = page_beats_payload_data;",
    },
  ],
};
