import {
  assertAlways,
  bit,
  type Bit,
  constant,
  input,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Committed, keptBits, LinkAcked, type LinkWindowParameters, numberBits, numbersName } from "./records.ts";

/**
 * The numbers of what leaves by a port: what has been acknowledged, what has been sent, which is next, and when to go
 * back (docs/supernic/link.md). Frames are kept in the ring from `tail` on. `sent`: the last beat of frame `next` goes
 * out in this cycle. `goesBack` holds until no frame is under way (`idle`); then, in one cycle, the ring reads from
 * `from` on, the first frame that is not acknowledged, and `next` is its number. An ACK moves `tail` only when nothing
 * is read behind it. Frames go back for a NACK, for a silence of `resendCycles`, and when what is being sent again has
 * come meanwhile. Without a link (`reliable` 0) a frame is done when it is sent. `clear`: all that is kept is dropped,
 * in that cycle, and numbers begin anew: the link went down, or software begins anew. Latency: 2 cycles from `acked` to
 * what follows from it. Initiation interval 1. Full: `frames` are kept at most, then `hasPlace` is 0. Reset: nothing
 * is kept, the link is up.
 */
export const LinkWindow = module(
  "LinkWindow",
  (p: LinkWindowParameters) => {
    const number = uint(numberBits(p)),
      place = uint(p.placeBits);
    return {
      reliable: input(bit),
      restart: input(bit),
      committed: input(Committed(p)),
      /** With `clear`: where what is dropped ends. */
      dropEnd: input(place),
      sent: input(struct({ valid: bit, end: place })),
      idle: input(bit),
      acked: input(LinkAcked(p)),
      next: output(number),
      goesBack: output(bit),
      from: output(place),
      tail: output(place),
      kept: output(number),
      hasPlace: output(bit),
      clear: output(bit),
      down: output(bit),
      /** Frames that are done in this cycle. */
      done: output(uint(keptBits)),
      events: output(struct({ falseAck: bit, nacked: bit, timedOut: bit })),
    };
  },
  (io, p) => {
    const number = uint(numberBits(p)),
      place = uint(p.placeBits),
      placeOf = Math.log2(p.frames),
      begin = p.first ?? 0;
    const written = reg(number, { init: begin, name: "written" }),
      first = reg(number, { init: begin, name: "first_kept" }),
      sent = reg(number, { init: begin, name: "sent_until" }),
      next = reg(number, { init: begin, name: "next_number" });
    const firstPlace = reg(place, { init: 0, name: "first_place" }),
      tail = reg(place, { init: 0, name: "tail_place" }),
      back = reg(bit, { init: 0, name: "back" });
    const clear = reg(bit, { init: 0, name: "clears" }),
      down = reg(bit, { init: 0, name: "is_down" });

    // Where each frame that is kept ends: what lies behind an ACK is found so.
    const ends = ram(place, { depth: p.frames, collision: "undefined", style: "block", name: "ends" });
    ends.write(io.committed.valid, written.trunc(placeOf), io.committed.end);
    const kept = node(written.sub(first), { name: "kept_frames" });

    const heard = hear(p, io.acked, { first, sent, next, on: io.reliable.andNot(clear) }),
      end = ends.readSync(io.acked.number.sub(1).trunc(placeOf), { name: "heard_end" });
    const repositions = node(back.and(io.idle), { name: "repositions" }),
      overtakes = node(heard.moves.and(repositions.or(heard.beyond)), { name: "overtakes" });

    const timer = silence(p, {
      runs: node(io.reliable.andNot(down).andNot(clear).and(kept.any()), { name: "timer_runs" }),
      moves: heard.moves,
      restarts: repositions,
      alive: io.acked.valid,
      nacked: heard.nacked,
    });
    const fails = node(timer.fails.andNot(io.restart).andNot(clear), { name: "fails" });
    clear.set(fails.or(io.restart));
    when(io.restart, () => down.set(0)).elseWhen(fails, () => down.set(1));

    // Without a link a frame that is sent is done.
    const plain = node(io.sent.valid.andNot(io.reliable), { name: "sent_plain" }),
      fresh = node(io.sent.valid.and(next.eq(sent)), { name: "sent_fresh" });
    const anew = constant(begin, numberBits(p));
    written.set(priority([clear, anew], [io.committed.valid, written.add(1)], written));
    first.set(priority([clear, anew], [heard.moves, heard.number], [plain, first.add(1)], first));
    firstPlace.set(priority([clear, io.dropEnd], [heard.moves, end], [plain, io.sent.end], firstPlace));
    sent.set(priority([clear, anew], [fresh, sent.add(1)], sent));
    next.set(priority([clear, anew], [repositions, first], [io.sent.valid, next.add(1)], next));
    back.set(clear.not().and(heard.nacked.or(overtakes).or(timer.goesBack).or(back.andNot(io.idle))));
    // Behind a frame that is being read and is done nothing is given away.
    when(clear, () => tail.set(io.dropEnd)).elseWhen(back.andNot(io.idle).not(), () => tail.set(firstPlace));

    io.next.set(next);
    io.goesBack.set(back);
    io.from.set(firstPlace);
    io.tail.set(tail);
    io.kept.set(kept);
    io.hasPlace.set(kept.bit(placeOf).not());
    io.clear.set(clear);
    io.down.set(down);
    const many = (n: UInt): UInt<typeof keptBits> => n.resize(keptBits);
    io.done.set(mux(heard.moves, many(heard.distance), many(plain)));
    io.events.set({ falseAck: heard.wrong, nacked: heard.nacked, timedOut: timer.goesBack });
    assertAlways(
      io.committed.valid.and(kept.bit(placeOf)).not(),
      "no frame comes when as many are kept as there may be",
    );
    assertAlways(io.committed.valid.and(clear).not(), "no frame comes while all are dropped");
  },
  {
    nameOf: p => `LinkWindow_f${p.frames}_p${p.placeBits}_t${p.resendCycles}_n${p.tries}_r${p.rounds}${numbersName(p)}`,
  },
);

interface Numbers {
  readonly first: UInt;
  readonly sent: UInt;
  readonly next: UInt;
  readonly on: Bit;
}
/** An ACK or NACK, a cycle later, when its place has been read: what it acknowledges, and whether it may be. */
function hear(
  p: LinkWindowParameters,
  acked: { readonly valid: Bit; readonly number: UInt; readonly nack: Bit },
  { first, sent, next, on }: Numbers,
) {
  const valid = reg(bit, { init: 0, name: "heard_valid" }),
    number = reg(uint(numberBits(p)), { name: "heard_number" }),
    nack = reg(bit, { name: "heard_nack" });
  valid.set(acked.valid);
  number.set(acked.number);
  nack.set(acked.nack);
  const distance = node(number.sub(first), { name: "heard_distance" }),
    flying = node(sent.sub(first), { name: "flying" }),
    counts = node(valid.and(on), { name: "heard_counts" });
  const believed = node(counts.and(distance.le(flying)), { name: "believed" });
  // Further than what is next to be sent: that is being sent again, and has come.
  const beyond = node(next.sub(number).bit(numberBits(p) - 1), { name: "heard_beyond" });
  return {
    number,
    distance,
    beyond,
    moves: node(believed.and(distance.any()), { name: "moves" }),
    nacked: node(believed.and(nack), { name: "nacked" }),
    wrong: node(counts.andNot(believed), { name: "false_ack" }),
  };
}

interface Heard {
  readonly runs: Bit;
  readonly moves: Bit;
  readonly restarts: Bit;
  readonly alive: Bit;
  readonly nacked: Bit;
}
/** The timer of what is kept, and how often it has run out or been cut short by a NACK. */
function silence(p: LinkWindowParameters, { runs, moves, restarts, alive, nacked }: Heard) {
  const bitsOf = (n: number): number => Math.ceil(Math.log2(n + 1));
  const time = reg(uint(bitsOf(p.resendCycles)), { init: 0, name: "silent_cycles" }),
    tries = reg(uint(bitsOf(p.tries)), { init: 0, name: "silent_tries" }),
    rounds = reg(uint(bitsOf(p.rounds)), { init: 0, name: "rounds" });
  const late = node(runs.andNot(moves).and(time.eq(p.resendCycles - 1)), { name: "is_late" }),
    spent = node(rounds.eq(p.rounds), { name: "rounds_spent" }),
    silent = node(late.and(tries.eq(p.tries)), { name: "stays_silent" });
  const fails = node(runs.and(silent.or(spent)), { name: "gives_up" });
  when(runs.not().or(moves).or(restarts).or(late), () => time.set(0)).otherwise(() => time.set(time.add(1)));
  when(runs.not().or(alive), () => tries.set(0)).elseWhen(late, () => tries.set(tries.add(1)));
  const round = node(late.or(nacked), { name: "round" });
  when(runs.not().or(moves), () => rounds.set(0)).elseWhen(round.andNot(spent), () => rounds.set(rounds.add(1)));
  return { fails, goesBack: node(late.andNot(fails), { name: "times_out" }) };
}
