/**
 * The Go-Back-N sender and receiver together: what the sender numbered is accepted in order and once, over channels
 * that lose, repeat and reorder, both ways. 1-bit data, window 2, 3-bit numbers (they wrap all the time), 2 sessions:
 * anything of the other session comes in between. The frame store and what reads it (go-back-n/rtl/resend.ts) are any
 * that ask and read by their rules. Runs go on until a session is given up.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  connect,
  constant,
  cover,
  input,
  type Inside,
  instance,
  module,
  mux,
  node,
  output,
  type Outside,
  type Proof,
  reg,
  sink,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";
import { GbnReceiver, GbnSender, SessionControl } from "../go-back-n/rtl/index.ts";
import { gbnVerdict } from "../go-back-n/wire/index.ts";

const BITS = 3,
  NUMBERS = 2 ** BITS,
  WINDOW = 2,
  DATA = 1,
  FIRST = NUMBERS - 2;
/**
 * Numbers of the oldest packet or ACK that may still be on its way: half a round, which is what the protocol asks
 * of a network.
 */
const OLDEST = NUMBERS / 2;
const common = { sessions: 2, sequenceBits: BITS, window: WINDOW, first: FIRST };
const receiving = { ...common, identityBits: 1, addressBits: 1, ackEvery: 2, ackCycles: 4 },
  sending = { ...common, timeoutCycles: 4, tries: 1 };

const ports = () => ({
  /** Somebody wants a number; what its packet carries. */
  request: sink(uint(1)),
  data: input(uint(DATA)),
  /** What the channels give: the packet, and the ACK or NACK, so many behind the newest. */
  give: input(bit),
  age: input(uint(BITS)),
  hear: input(bit),
  heardAge: input(uint(BITS)),
  nack: input(bit),
  control: sink(SessionControl(common)),
  /** The next frame to be sent again is asked for; of the other session after any. */
  step: input(bit),
  stepSession: input(bit),
  fresh: input(bit),
  stepOther: input(uint(BITS)),
  accepted: output(bit),
});
const number = (v: UInt): UInt<typeof BITS> => v.is(BITS);

/** What the sender sends again: frames that have not arrived, none left out, and none written over. */
function resendsOf(
  io: Inside<ReturnType<typeof ports>>,
  sender: Outside<ReturnType<typeof GbnSender>["ports"]>,
  { next, delivered, granted }: Readonly<Record<"next" | "delivered", UInt<typeof BITS>>> & { readonly granted: Bit },
) {
  const one = constant(1, BITS);
  const last = reg(uint(BITS), { init: 0, name: "model_last" }),
    reading = reg(bit, { init: 0, name: "model_reading" });
  const stepping = reg(struct({ mine: bit, fresh: bit }), { init: 0, name: "model_stepping" });
  sender.step.valid.set(io.step);
  sender.step.payload.set({
    session: io.stepSession,
    sequence: mux(io.stepSession, last, io.stepOther),
    fresh: io.fresh,
  });
  when(sender.step.fire, () => {
    stepping.set({ mine: io.stepSession, fresh: io.fresh });
    reading.set(0);
  });
  const stepped = node(sender.stepped.valid.and(stepping.mine), { name: "model_stepped" }),
    again = node(stepped.and(sender.stepped.more), { name: "model_again" });
  when(again, () => {
    last.set(sender.stepped.sequence);
    reading.set(1);
  });
  sender.reading.set({ valid: reading, session: 1, sequence: last });
  const behind = next.sub(number(sender.stepped.sequence));
  assertAlways(
    again.not().or(behind.ge(1).and(behind.le(WINDOW))),
    "what is sent again is kept: one of the last numbers given",
  );
  const firstMissing = delivered.sub(number(sender.stepped.sequence)).lt(OLDEST);
  assertAlways(
    again
      .not()
      .or(firstMissing)
      .or(stepping.fresh.not().and(number(sender.stepped.sequence).eq(last.add(one)))),
    "it begins no later than with the first that has not arrived, and leaves none out",
  );
  assertAlways(
    granted
      .and(reading)
      .not()
      .or(next.bits(0, 1).ne(last.bits(0, 1))),
    "a frame that is being read is not written over",
  );
  return { stepped, stepping, again };
}

const harness = module("GbnDeliveryProof", ports, io => {
  const sender = instance("sender", GbnSender(sending)),
    receiver = instance("receiver", GbnReceiver(receiving));
  assumeAlways(io.control.payload.session.eq(0), "only the other session is opened and closed");
  connect(io.control, sender.control);
  receiver.control.valid.set(0);
  receiver.control.payload.set({ session: 0, open: 0 });
  receiver.answerRoom.set(1);
  const one = constant(1, BITS);

  // Numbers given, and what their packets carry.
  const next = reg(uint(BITS), { init: FIRST, name: "model_next" }),
    delivered = reg(uint(BITS), { init: FIRST, name: "model_delivered" });
  const sent = reg(uint(BITS), { init: 0, name: "model_sent" }),
    arrived = reg(uint(BITS), { init: 0, name: "model_arrived" });
  const data = reg(vec(uint(DATA), NUMBERS), { name: "model_data" });
  connect(io.request, sender.request);
  const askedFor = reg(uint(1), { init: 0, name: "model_asked_for" }),
    askedData = reg(uint(DATA), { name: "model_asked_data" });
  when(sender.request.fire, () => {
    askedFor.set(io.request.payload);
    askedData.set(io.data);
  });
  const granted = node(sender.granted.valid.and(sender.granted.granted).and(askedFor.eq(1)), {
    name: "model_granted",
  });
  when(granted, () => {
    next.set(next.add(one));
    data.setAt(next, askedData);
    when(sent.ne(OLDEST), () => sent.set(sent.add(one)));
  });
  assertAlways(granted.not().or(sender.granted.sequence.eq(next)), "numbers are given one after the other");
  assertAlways(granted.not().or(next.sub(delivered).lt(WINDOW)), "no more than a window is ahead of what has arrived");

  const { stepped, stepping, again } = resendsOf(io, sender, { next, delivered, granted });
  // None is left to be sent again only when all has arrived; a session that was given up says so some cycles later.
  sender.failed.ready.set(0);
  assumeAlways(sender.failed.valid.not(), "no session is given up");
  sender.again.ready.set(1);
  const none = node(stepped.and(stepping.fresh).and(sender.stepped.more.not()).and(next.ne(delivered)), {
    name: "model_none",
  });
  const noneBefore = [1, 2, 3, 4].reduce<Bit>((v, i) => {
    const r = reg(bit, { init: 0, name: `model_none_${i}` });
    r.set(v);
    return r;
  }, none);
  assertAlways(noneBefore.not(), "what has not arrived is sent again");

  // The channel there: any packet sent that is not too old, any number of times.
  const sequence = node(next.sub(io.age), { name: "model_sequence" });
  assumeAlways(io.give.not().or(io.age.ge(1).and(io.age.le(sent))), "the channel gives what was sent");
  receiver.packet.valid.set(io.give);
  receiver.packet.payload.set({ session: 1, sequence, control: 0, peer: { identity: 0, address: 0 } });
  const Given = struct({ given: bit, data: uint(DATA) });
  const early = reg(Given, { init: 0, name: "model_early" }),
    late = reg(Given, { init: 0, name: "model_late" });
  early.set({ given: receiver.packet.fire, data: data.at(sequence) });
  late.set(early);
  const accepted = node(receiver.verdict.valid.and(receiver.verdict.what.eq(gbnVerdict.accepted)), {
    name: "model_accepted",
  });
  when(accepted, () => {
    delivered.set(delivered.add(one));
    when(arrived.ne(OLDEST), () => arrived.set(arrived.add(one)));
  });
  assertAlways(accepted.not().or(delivered.ne(next)), "nothing is accepted that was not sent");
  assertAlways(
    accepted.not().or(late.given.and(late.data.eq(data.at(delivered)))),
    "what is accepted is what was sent, in order and once",
  );

  // The channel back: any ACK or NACK of what has arrived that is not too old. (One that the receiver gave is one
  // of these: gbn-receiver.ts.)
  assumeAlways(io.hear.not().or(io.heardAge.le(arrived)), "the sender hears of nothing that has not arrived");
  sender.heard.valid.set(io.hear);
  sender.heard.payload.set({ session: 1, sequence: delivered.sub(one).sub(io.heardAge), nack: io.nack });

  io.accepted.set(accepted);
  cover(accepted.and(delivered.eq(0)), "the numbers wrap");
  cover(again.and(stepping.fresh), "something is sent again");
});

export const gbnDeliveryProof: Proof = {
  module: "GbnSender and GbnReceiver, window 2, 3-bit numbers, 2 sessions",
  harness: harness(),
  long: "minutes",
  reach: 40,
  faults: [
    { what: "the window has room for one more", from: "~flying[1] &", to: "(flying != 2'd3) &" },
    { what: "what was acknowledged long ago is acknowledged now", from: "~(|(further >> 2)) &", to: "1'b1 |" },
    { what: "a frame is written over while it is read", from: "clash = &{", to: "clash = 1'b0 & &{" },
    { what: "it begins one too late", from: "from_start ? was_acked", to: "from_start ? 3'd1 + was_acked" },
  ],
};
