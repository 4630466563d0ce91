/**
 * The two halves of the link together: what the window numbered is let pass in order and once, over a line that loses,
 * doubles and reorders, both ways; and what is read from the ring is the frame of that number. 1-bit data, frames of
 * one beat that leave in any number of cycles, a ring of 2 beats and as many frames, 3-bit numbers (they wrap all the
 * time). Runs go on until the link is down.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cover,
  input,
  instance,
  module,
  node,
  output,
  type Proof,
  reg,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { JudgedKind } from "../judge/index.ts";
import { LinkReceive, LinkWindow } from "../link/index.ts";

const BITS = 3,
  NUMBERS = 2 ** BITS,
  FRAMES = 2,
  PLACE = 2,
  FIRST = NUMBERS - 2,
  /** Numbers of the oldest frame or ACK that may still be on the line. */
  OLDEST = NUMBERS / 2 - 1;

const harness = module(
  "LinkDeliveryProof",
  () => ({
    /** A frame comes into the ring; what it carries. */
    comes: input(bit),
    data: input(bit),
    /** A frame of the ring begins to leave; the one under way ends. */
    begins: input(bit),
    ends: input(bit),
    /** What the line gives: a frame, and an ACK or NACK, so many behind the newest. */
    give: input(bit),
    age: input(uint(BITS)),
    room: input(bit),
    bad: input(bit),
    hear: input(bit),
    heardAge: input(uint(BITS)),
    nack: input(bit),
    accepted: output(bit),
  }),
  io => {
    const window = instance(
        "window",
        LinkWindow({
          sequenceBits: BITS,
          first: FIRST,
          frames: FRAMES,
          placeBits: PLACE,
          resendCycles: 4,
          tries: 1,
          rounds: 3,
        }),
      ),
      receive = instance("receive", LinkReceive({ sequenceBits: BITS, first: FIRST, ackEvery: 2, ackCycles: 4 }));
    assumeAlways(window.clear.not().and(window.down.not()), "the link is not down");
    window.reliable.set(1);
    window.restart.set(0);
    receive.reliable.set(1);
    receive.down.set(0);
    receive.restart.set(0);

    // The ring, and what each number carries.
    const write = reg(uint(PLACE), { init: 0, name: "model_write" }),
      read = reg(uint(PLACE), { init: 0, name: "model_read" }),
      ring = reg(vec(bit, FRAMES), { name: "model_ring" }),
      data = reg(vec(bit, NUMBERS), { name: "model_data" }),
      written = reg(uint(BITS), { init: FIRST, name: "model_written" });
    const room = write.sub(window.tail).ne(FRAMES),
      enters = node(io.comes.and(room).and(window.hasPlace), { name: "model_enters" });
    window.committed.set({ valid: enters, end: write.add(1) });
    window.dropEnd.set(write);
    when(enters, () => {
      write.set(write.add(1));
      ring.setAt(write.trunc(1), io.data);
      data.setAt(written, io.data);
      written.set(written.add(1));
    });

    // The frame under way.
    const under = reg(bit, { init: 0, name: "model_under_way" }),
      held = reg(bit, { name: "model_held" });
    const turns = node(window.goesBack.and(under.not()), { name: "model_turns" }),
      starts = node(io.begins.andNot(under).andNot(window.goesBack).and(read.ne(write)), { name: "model_starts" }),
      leaves = node(under.and(io.ends), { name: "model_leaves" });
    window.idle.set(under.not());
    window.sent.set({ valid: leaves, end: read.add(1) });
    when(starts, () => {
      under.set(1);
      held.set(ring.at(read.trunc(1)));
    }).elseWhen(leaves, () => under.set(0));
    when(turns, () => read.set(window.from)).elseWhen(leaves, () => read.set(read.add(1)));
    const now = node(ring.at(read.trunc(1)), { name: "model_now" });
    assertAlways(
      leaves.not().or(now.eq(data.at(window.next)).and(held.eq(now))),
      "what leaves is the frame of its number, and nobody writes over it",
    );
    const sent = reg(uint(BITS), { init: FIRST, name: "model_sent" }),
      many = reg(uint(BITS), { init: 0, name: "model_many" }),
      fresh = node(leaves.and(window.next.eq(sent)), { name: "model_fresh" });
    when(fresh, () => {
      sent.set(sent.add(1));
      when(many.ne(OLDEST), () => many.set(many.add(1)));
    });
    assertAlways(leaves.not().or(sent.sub(window.next).le(FRAMES)), "what leaves again has left not long ago");

    // The line there.
    const delivered = reg(uint(BITS), { init: FIRST, name: "model_delivered" }),
      arrived = reg(uint(BITS), { init: 0, name: "model_arrived" });
    assumeAlways(io.give.not().or(io.age.ge(1).and(io.age.le(many))), "the line gives what was sent");
    const sequence = node(sent.sub(io.age), { name: "model_sequence" });
    receive.seen.set({
      valid: io.give,
      good: io.bad.not(),
      kind: JudgedKind.data,
      linked: 1,
      sequence: sequence.zext(16),
      ack: 0,
      nack: 0,
      wantsRoom: 1,
      room: io.room,
    });
    receive.told.set({ ack: 0, nack: 0 });
    const accepted = node(receive.accept, { name: "model_accepted" });
    assertAlways(accepted.not().or(delivered.ne(sent)), "nothing is let pass that was not sent");
    assertAlways(accepted.not().or(sequence.eq(delivered)), "what is let pass comes in order, and once");
    assertAlways(receive.answer.expected.eq(delivered), "what is told is what has come");
    when(accepted, () => {
      delivered.set(delivered.add(1));
      when(arrived.ne(OLDEST), () => arrived.set(arrived.add(1)));
    });

    // The line back: any ACK or NACK of what has come that is not too old.
    assumeAlways(io.hear.not().or(io.heardAge.le(arrived)), "nobody acknowledges what has not come");
    window.acked.set({ valid: io.hear, number: delivered.sub(io.heardAge), nack: io.nack });
    const kept = node(written.sub(delivered), { name: "model_missing" });
    assertAlways(kept.le(FRAMES), "what has not come is kept");
    io.accepted.set(accepted);
    cover(accepted.and(delivered.eq(0)), "the numbers wrap");
    cover(turns.and(window.next.ne(sent)), "it goes back while it goes back");
  },
);

export const linkDeliveryProof: Proof = {
  module: "LinkWindow and LinkReceive, 2 frames, 3-bit numbers",
  harness: harness(),
  long: "minutes",
  reach: 40,
  faults: [
    {
      what: "a frame is written over while it is read",
      from: "else if (~(back & ~idle)) tail_place",
      to: "else tail_place",
    },
    { what: "an ACK that overtakes does not make it go back", from: "overtakes = moves &", to: "overtakes = 1'b0 &" },
    { what: "an ACK in the cycle of going back", from: "(repositions | heard_beyond)", to: "heard_beyond" },
    { what: "an ACK of more than is under way", from: "(heard_distance <= flying)", to: "1'b1" },
    { what: "a frame that is ahead counts", from: "takes = data & next & fits", to: "takes = data & fits" },
    {
      what: "it goes back one too far forward",
      from: "repositions ? first_kept :",
      to: "repositions ? first_kept + 3'd1 :",
    },
  ],
};
