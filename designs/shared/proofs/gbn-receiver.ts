/**
 * The Go-Back-N receiver: what was sent is accepted in order and once, over a channel that loses, repeats and
 * reorders. 2-bit data, window 2, 3-bit numbers (they wrap all the time), 2 sessions: any packets of the other session
 * come in between.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  connect,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  output,
  type Proof,
  reg,
  sink,
  struct,
  uint,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";
import { GbnPacket, GbnReceiver, SessionControl } from "../go-back-n/rtl/index.ts";
import { gbnVerdict } from "../go-back-n/wire/index.ts";

const BITS = 3,
  NUMBERS = 2 ** BITS,
  WINDOW = 2,
  DATA = 2,
  FIRST = NUMBERS - 2;
/**
 * Numbers of the oldest packet that may still be on its way, behind the newest: half a round, which is what the
 * protocol asks of a network.
 */
const OLDEST = NUMBERS / 2;
const p = {
  sessions: 2,
  sequenceBits: BITS,
  window: WINDOW,
  identityBits: 1,
  addressBits: 1,
  ackEvery: 2,
  ackCycles: 4,
  first: FIRST,
};

const harness = module(
  "GbnReceiverProof",
  () => ({
    /** The sender sends a new packet with this. */
    send: input(struct({ valid: bit, data: uint(DATA) })),
    /** An ACK reaches the sender: so many numbers further. */
    heard: input(uint(2)),
    /** What the channel gives: a packet of the session so many behind the newest, or one of the other session. */
    give: input(bit),
    age: input(uint(BITS)),
    other: sink(GbnPacket(p)),
    control: sink(SessionControl(p)),
    answerRoom: input(bit),
    accepted: output(bit),
    answered: output(bit),
  }),
  io => {
    const dut = instance("dut", GbnReceiver(p));
    assumeAlways(io.other.payload.session.eq(0), "the other packets are the other session's");
    assumeAlways(io.control.payload.session.eq(0), "only the other session is opened and closed");
    connect(io.control, dut.control);
    dut.answerRoom.set(io.answerRoom);

    // The sender: any data, at most WINDOW unacknowledged.
    const one = constant(1, BITS);
    const next = reg(uint(BITS), { init: FIRST, name: "model_next" }),
      base = reg(uint(BITS), { init: FIRST, name: "model_base" });
    const acked = reg(uint(BITS), { init: FIRST, name: "model_acked" }),
      sent = reg(uint(BITS), { init: 0, name: "model_sent" });
    const data = reg(vec(uint(DATA), NUMBERS), { name: "model_data" });
    const sends = node(io.send.valid.and(next.sub(base).lt(WINDOW)), { name: "model_sends" });
    when(sends, () => {
      next.set(next.add(one));
      data.setAt(next, io.send.data);
      when(sent.ne(OLDEST), () => sent.set(sent.add(one)));
    });
    const ahead = io.heard.zext(BITS);
    assumeAlways(ahead.le(acked.sub(base)), "the sender hears of nothing that was not acknowledged");
    base.set(base.add(ahead));

    // The channel: any packet sent that is not too old, any number of times.
    const sequence = node(next.sub(io.age), { name: "model_sequence" });
    assumeAlways(io.give.not().or(io.age.ge(1).and(io.age.le(sent))), "the channel gives what was sent");
    dut.packet.valid.set(io.give.or(io.other.valid));
    const mine = io.give;
    const other = io.other.payload;
    dut.packet.payload.set({
      session: mux(mine, constant(1, 1), other.session),
      sequence: mux(mine, sequence, other.sequence),
      control: mine.not().and(other.control),
      peer: { identity: mine.or(other.peer.identity), address: mine.or(other.peer.address) },
    });
    io.other.ready.set(dut.packet.ready.and(mine.not()));

    // What was given, two cycles later beside the verdict.
    const Given = struct({ mine: bit, sequence: uint(BITS), data: uint(DATA) });
    const early = reg(Given, { init: 0, name: "model_early" }),
      late = reg(Given, { init: 0, name: "model_late" });
    early.set({ mine: mine.and(dut.packet.ready), sequence, data: data.at(sequence) });
    late.set(early);
    const room = reg(bit, { init: 0, name: "model_room" });
    room.set(io.answerRoom);
    const delivered = reg(uint(BITS), { init: FIRST, name: "model_delivered" });
    const judged = node(dut.verdict.valid.and(late.mine), { name: "model_judged" });
    const accepted = node(judged.and(dut.verdict.what.eq(gbnVerdict.accepted)), { name: "model_accepted" });
    when(accepted, () => delivered.set(delivered.add(one)));
    const now = node(mux(accepted, delivered.add(one), delivered), { name: "model_now" });
    assertAlways(accepted.not().or(delivered.ne(next)), "nothing is accepted that was not sent");
    assertAlways(
      accepted.not().or(late.data.eq(data.at(delivered))),
      "what is accepted is what was sent, in order and once",
    );
    assertAlways(
      judged.and(late.sequence.eq(delivered)).and(room).not().or(accepted),
      "the next packet is accepted when there is room",
    );
    assertAlways(late.mine.not().or(dut.verdict.valid), "every packet is judged 2 cycles later");

    const answers = node(dut.answer.valid.and(dut.answer.answer.session.eq(1)), { name: "model_answers" });
    const nacks = node(answers.and(dut.answer.answer.nack), { name: "model_nacks" });
    assertAlways(
      answers.not().or(dut.answer.answer.sequence.eq(now.sub(one))),
      "what is acknowledged is all that was accepted",
    );
    when(answers, () => acked.set(dut.answer.answer.sequence.add(one)));
    const complained = reg(bit, { init: 0, name: "model_complained" });
    when(accepted, () => complained.set(0));
    when(nacks, () => complained.set(1));
    assertAlways(nacks.not().or(complained.not()), "a NACK is sent once until back in order");
    io.accepted.set(accepted);
    io.answered.set(answers);
    cover(accepted.and(delivered.eq(0)), "the numbers wrap");
    cover(nacks, "a NACK is sent");
    cover(judged.and(dut.verdict.what.eq(gbnVerdict.duplicate)), "a duplicate comes");
  },
);

export const gbnReceiverProof: Proof = {
  module: "GbnReceiver, window 2, 3-bit numbers, 2 sessions",
  harness: harness(),
  long: "minutes",
  reach: 24,
  faults: [
    {
      what: "a word that is being written is read as it was",
      from: "was = was_hit ? was_fwd : was_rd",
      to: "was = was_rd",
    },
    { what: "every packet out of order is answered with a NACK", from: "ahead & ~was_nacked", to: "ahead" },
    { what: "a duplicate is accepted", from: "in_order = data & next &", to: "in_order = data & (next | behind) &" },
    { what: "what is missing is acknowledged", from: "was_expected - 3'd1", to: "was_expected" },
  ],
};
