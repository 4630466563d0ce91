/**
 * Not among the proofs of `mnemo prove`, which are of runs of any length: no engine decides this one. A test looks for
 * a failure within so many cycles of reset (reorder-bounded.test.ts says how many).
 *
 * The reorder unit: the replies of a session leave in the order of its requests, each once, whatever order they come
 * in. Two sessions, two places for replies that wait, four requests, frames of one beat; nobody is given up in that
 * time. The surroundings choose the order, and when something is offered or taken.
 */
import {
  assertAlways,
  bit,
  cat,
  connect,
  constant,
  cover,
  decode,
  input,
  instance,
  module,
  node,
  output,
  type Proof,
  reg,
  sink,
  source,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { AxisBeat } from "../frame/index.ts";
import { GbnReorder } from "../go-back-n/rtl/index.ts";

const REQUESTS = 4,
  TICKET = 2,
  SESSION = 1;
const p = {
  sessions: 2,
  metaBits: TICKET,
  beatBytes: 1,
  frameBytes: 2,
  waiting: 4,
  first: 0,
  patience: 256,
  ticketBits: 4,
  reach: 4,
};

const harness = module(
  "GbnReorderProof",
  () => ({
    /** A reply is offered, to which request. */
    offers: input(bit),
    ticket: input(uint(TICKET)),
    beats: sink(AxisBeat(p.beatBytes)),
    out: source(uint(TICKET)),
    outBeats: source(AxisBeat(p.beatBytes)),
    crowded: output(bit),
    waited: output(bit),
  }),
  io => {
    const dut = instance("dut", GbnReorder(p));
    const offered = reg(bit, { init: 0, name: "model_offered" }),
      which = reg(uint(TICKET), { init: 0, name: "model_which" }),
      sent = reg(uint(REQUESTS), { init: 0, name: "model_sent" }),
      due = reg(uint(TICKET + 1), { init: 0, name: "model_due" });
    const fresh = node(sent.and(decode(io.ticket, REQUESTS)).any().not(), { name: "model_fresh" });
    when(offered.not().and(io.offers).and(fresh), () => {
      offered.set(1);
      which.set(io.ticket);
      sent.set(sent.or(decode(io.ticket, REQUESTS)));
    });
    when(dut.reply.fire, () => offered.set(0));
    dut.reply.valid.set(offered);
    dut.reply.payload.set({
      ordered: 1,
      turn: { session: SESSION, life: 0, ticket: which.zext(p.ticketBits) },
      meta: which,
    });
    dut.beats.valid.set(io.beats.valid);
    dut.beats.payload.set({ ...io.beats.payload, last: 1 });
    io.beats.ready.set(dut.beats.ready);
    dut.named.valid.set(0);
    dut.named.payload.set({ turn: { session: 0, life: 0, ticket: 0 }, silent: 0 });
    dut.control.valid.set(0);
    dut.control.payload.set({ session: constant(0, 1), open: 0 });
    connect(dut.out, io.out);
    connect(dut.outBeats, io.outBeats);
    io.crowded.set(dut.crowded);
    io.waited.set(dut.events.waited);
    when(dut.out.fire, () => due.set(due.add(1)));
    assertAlways(dut.out.fire.not().or(dut.out.payload.zext(TICKET + 1).eq(due)), "replies leave in order, each once");
    assertAlways(dut.events.skipped.not(), "nobody is given up");
    cover(dut.events.waited, "a reply waits");
    cover(cat(dut.out.fire, due.eq(1)).all(), "a second one leaves");
  },
)();

export const gbnReorderProof: Proof = {
  module: "GbnReorder, 4 places, 4 requests of a session",
  harness,
  own: true,
  reach: 24,
  faults: [
    {
      what: "a reply that is ahead passes",
      from: "reply_payload_ordered | due | behind",
      to: "reply_payload_ordered | due | behind | near",
    },
    { what: "after one the next but one is due", from: "due_next = is_due + 4'd1", to: "due_next = is_due + 4'd2" },
  ],
};
