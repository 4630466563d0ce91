import {
  bit,
  type Bit,
  carryEqual,
  constant,
  input,
  module,
  mux,
  node,
  output,
  priority,
  reg,
  uint,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { LinkSeen } from "../inside/index.ts";
import {
  LinkAcked,
  LinkAnswer,
  type LinkReceiveParameters,
  LinkRefused,
  LinkTold,
  numberBits,
  numbersName,
} from "./records.ts";

/** What a frame of a reliable port is to the order: the next one, one that came before, one that comes too soon. */
function placeOf(
  p: LinkReceiveParameters,
  seen: Val<typeof LinkSeen>,
  on: Bit,
  expected: Val<ReturnType<typeof uint>>,
) {
  const right = node(seen.valid.and(seen.good), { name: "right" }),
    linked = node(right.and(seen.linked).and(on), { name: "right_linked" }),
    data = node(linked.andNot(seen.kind.is("answer")), { name: "data" });
  const sequence = seen.sequence.trunc(numberBits(p)),
    next = node(carryEqual(sequence, expected), { name: "next" }),
    gap = node(sequence.sub(expected), { name: "gap" });
  const before = gap.bit(numberBits(p) - 1);
  return {
    right,
    linked,
    data,
    next,
    behind: node(data.andNot(next).and(before), { name: "behind" }),
    ahead: node(data.andNot(next).andNot(before), { name: "ahead" }),
  };
}

/**
 * Says which frames of a port count, and what the partner is to be told (docs/supernic/link.md; paper §5.4: the last
 * hop loses nothing). On a port without a link every frame counts that is right and has room. On a reliable one those
 * count that come in order. What is missing - one before this one, one with a wrong FCS, one without room - is told
 * with one NACK, until the sequence goes on. One that has come before, and one that again has no room, make an ACK due
 * at once; frames in order make one due after `ackEvery`, or `ackCycles` after the first that is not acknowledged.
 * Ahead and behind are told by half a round of the numbers. Latency: `accept` in the cycle of `seen`, `acked` and
 * `answer` a cycle later. Initiation interval 1. Full: nothing is kept. Reset, `restart`: the first number is
 * expected, nothing is due. While the link is down nothing counts and nothing is due.
 */
export const LinkReceive = module(
  "LinkReceive",
  (p: LinkReceiveParameters) => ({
    reliable: input(bit),
    /** Of TxPort: the link is down. */
    down: input(bit),
    /** Software begins the link anew; TxPort has the same pulse. */
    restart: input(bit),
    seen: input(LinkSeen),
    accept: output(bit),
    answer: output(LinkAnswer(p)),
    told: input(LinkTold),
    acked: output(LinkAcked(p)),
    refused: output(LinkRefused),
  }),
  (io, p) => {
    const number = uint(numberBits(p)),
      { seen } = io;
    const begin = p.first ?? 0,
      expected = reg(number, { init: begin, name: "expected" }),
      nacked = reg(bit, { init: 0, name: "nacked" }),
      nackDue = reg(bit, { init: 0, name: "nack_due" }),
      ackDue = reg(bit, { init: 0, name: "ack_due" });
    const on = node(io.reliable.andNot(io.down), { name: "is_on" }),
      off = node(io.reliable.and(io.down), { name: "is_off" }),
      place = placeOf(p, seen, on, expected);
    const fits = node(seen.room.or(seen.wantsRoom.not()), { name: "fits" }),
      takes = node(place.data.and(place.next).and(fits), { name: "takes" }),
      lacksRoom = node(place.data.and(place.next).andNot(fits), { name: "lacks_room" }),
      bad = node(on.and(seen.valid).andNot(seen.good), { name: "bad" });

    const counts = priority([place.data, place.next], [off, seen.linked.not()], constant(1, 1));
    io.accept.set(place.right.and(fits).and(counts));

    // One NACK until the sequence goes on; whoever sends again what has no room hears that he is heard.
    const missing = node(place.ahead.or(bad).or(lacksRoom), { name: "missing" }),
      again = node(place.behind.or(lacksRoom.and(nacked)), { name: "again" }),
      dead = node(io.restart.or(on.not()), { name: "forgets" });
    nacked.set(dead.or(takes).not().and(nacked.or(missing)));
    const asks = node(missing.andNot(nacked), { name: "asks" });
    nackDue.set(
      dead
        .or(takes)
        .not()
        .and(asks.or(nackDue.andNot(io.told.nack))),
    );
    when(io.restart, () => expected.set(begin)).elseWhen(takes, () => expected.set(expected.add(1)));

    // What is not acknowledged, and since when. A NACK acknowledges as well.
    const told = node(io.told.ack.or(io.told.nack), { name: "is_told" }),
      waiting = waitingFor(p, takes, node(told.or(dead), { name: "is_settled" }));
    ackDue.set(dead.not().and(again.or(waiting.due).or(ackDue.andNot(told))));
    io.answer.set({ expected, ack: ackDue, nack: nackDue });

    const acked = reg(LinkAcked(p), { init: 0, name: "acked_q" }),
      refused = reg(LinkRefused, { init: 0, name: "refused_q" });
    acked.set({
      valid: place.linked.andNot(io.restart),
      number: seen.ack.trunc(numberBits(p)),
      nack: seen.nack.and(seen.kind.is("answer")),
    });
    const dropped = node(off.and(place.right).and(seen.linked).andNot(seen.kind.is("answer")), { name: "dropped" });
    refused.set({ room: lacksRoom, ahead: place.ahead, behind: place.behind, bad, down: dropped });
    io.acked.set(acked);
    io.refused.set(refused);
  },
  {
    nameOf: p => `LinkReceive_e${p.ackEvery}_c${p.ackCycles}${numbersName(p)}`,
  },
);

/** Frames in order that are not acknowledged: an ACK is due when they are many, or when the first has waited. */
function waitingFor(p: LinkReceiveParameters, takes: Bit, settled: Bit): { readonly due: Bit } {
  const countBits = Math.ceil(Math.log2(p.ackEvery + 1)),
    timeBits = Math.ceil(Math.log2(p.ackCycles + 1));
  const count = reg(uint(countBits), { init: 0, name: "unacked" }),
    time = reg(uint(timeBits), { init: 0, name: "unacked_cycles" });
  const some = node(count.any(), { name: "some_unacked" }),
    many = node(count.eq(p.ackEvery), { name: "many_unacked" }),
    late = node(time.eq(p.ackCycles - 2), { name: "unacked_late" });
  const kept = node(mux(settled, constant(0, countBits), count), { name: "still_unacked" });
  count.set(mux(takes.andNot(kept.eq(p.ackEvery)), kept.add(1), kept));
  when(settled.or(some.not()), () => time.set(0)).elseWhen(late.not(), () => time.set(time.add(1)));
  return { due: node(settled.not().and(some.and(late).or(many)), { name: "ack_wanted" }) };
}
