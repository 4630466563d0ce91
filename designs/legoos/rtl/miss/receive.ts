import {
  bit,
  cat,
  connect,
  constant,
  fsm,
  input,
  instance,
  module,
  node,
  output,
  PacketFifo,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { beatBytes, derived, type Parameters } from "../../config/index.ts";
import { Own } from "../records/miss-records.ts";
import { LineCommand, lineIdBits, statusWidth } from "../records/records.ts";
import { requestBytes } from "./header.ts";
import { judgeReply } from "./reply.ts";

/** A reply: which request of which miss, and how it ended. */
export const Answer = (p: Parameters) =>
  struct({
    miss: uint(derived(p).missBits),
    part: uint(2),
    requestId: uint(32),
    status: uint(statusWidth),
    /** The line's bytes follow. */
    whole: bit,
  });

/**
 * Takes replies apart. Frames are kept whole first, so that a damaged one (`user`) never touches a line; those for
 * others, or of no form that a reply has, are thrown away. `answer` is offered at the frame's second beat at the
 * earliest; what it says stands from three cycles before. With `expected` the line's bytes then go to `fill`, to the
 * place `place`; `done` tells when the last has been taken. Latency 5 cycles from a frame's last beat to `answer`; a
 * beat a cycle to `fill`. Full: `rx.ready` is 0,
 * and the sender's side of the link has to wait. Reset: between two frames.
 */
export const Receiver = module(
  "ExCacheReceiver",
  (p: Parameters) => ({
    own: input(Own),
    rx: sink(AxisBeat(beatBytes)),
    /** The reply at hand; its owner says in the same cycle whether it is one that is waited for. */
    answer: output(struct({ valid: bit, reply: Answer(p) })),
    expected: input(bit),
    place: input(uint(derived(p).placeBits)),
    /** The answer has been taken, and its bytes are in the line. */
    done: output(bit),
    /** A frame has ended before its line did. */
    cut: output(bit),
    fill: source(LineCommand(p)),
  }),
  (io, p) => {
    const { beats, beatBits } = derived(p),
      rest = requestBytes % beatBytes;
    const frames = instance(
      "frames",
      PacketFifo({
        shape: AxisBeat(beatBytes),
        depth: 2 ** Math.ceil(Math.log2((p.misses + 1) * (beats + 2))),
        last: "last",
        drop: "user",
        style: "block",
      }),
    );
    connect(io.rx, frames.push);
    const { pop } = frames,
      beat = pop.payload;
    const head = reg(uint(8 * beatBytes)),
      before = reg(uint(8 * beatBytes)),
      alone = reg(bit),
      place = reg(uint(derived(p).placeBits)),
      filling = reg(uint(derived(p).missBits)),
      index = reg(uint(beatBits + 1));
    const { clio, which, mine, fits, whole, formed } = judgeReply(p, io.own, head, alone);
    const judged = reg(bit);

    pop.ready.set(0);
    io.answer.valid.set(0);
    io.done.set(0);
    io.cut.set(0);
    io.fill.valid.set(0);
    fsm(["Head", "Judge", "Match", "Weigh", "Answer", "Fill", "Skip"], "Head", s => ({
      Head: () => {
        pop.ready.set(1);
        when(pop.valid, () => {
          head.set(beat.data);
          alone.set(beat.last);
          s.go("Judge");
        });
      },
      Judge: () => {
        judged.set(mine.and(fits).and(formed));
        s.go("Match");
      },
      Match: () => s.go("Weigh"),
      Weigh: () => s.go("Answer"),
      Answer: () => {
        io.answer.valid.set(judged);
        index.set(0);
        place.set(io.place);
        filling.set(clio.tag.trunc(derived(p).missBits));
        when(judged.and(io.expected).and(whole), () => s.go("Fill"))
          .elseWhen(alone, () => {
            io.done.set(judged.and(io.expected));
            s.go("Head");
          })
          .otherwise(() => {
            io.done.set(judged.and(io.expected));
            s.go("Skip");
          });
      },
      Fill: () => {
        // The first beat here is the second of the frame: it has no whole beat of the line yet.
        const primes = node(index.eq(0)),
          ends = node(index.eq(beats));
        io.fill.valid.set(pop.valid.and(primes.not()));
        pop.ready.set(primes.or(io.fill.ready));
        when(pop.fire, () => {
          before.set(beat.data);
          index.set(index.add(1));
          // The frame's last beat may have fewer bytes than the line still needs.
          const enough = beat.keep.bit(rest - 1);
          when(ends, () => {
            io.done.set(enough);
            io.cut.set(enough.not());
            when(beat.last, () => s.go("Head")).otherwise(() => s.go("Skip"));
          }).elseWhen(beat.last, () => {
            io.cut.set(1);
            s.go("Head");
          });
        });
      },
      Skip: () => {
        pop.ready.set(1);
        when(pop.fire.and(beat.last), () => s.go("Head"));
      },
    }));
    io.answer.reply.set({
      miss: clio.tag.trunc(derived(p).missBits),
      part: which,
      requestId: clio.requestId,
      status: clio.status,
      whole,
    });
    io.fill.payload.set({
      owner: "fill",
      id: filling.zext(lineIdBits(p)),
      write: 1,
      address: cat(place, index.sub(1).trunc(beatBits)),
      strb: constant((1n << BigInt(beatBytes)) - 1n, beatBytes),
      data: cat(beat.data.bits(0, 8 * rest), before.bits(8 * rest, 8 * (beatBytes - rest))),
    });
  },
  { nameOf: p => `ExCacheReceiver_l${p.lineBytes}_m${p.misses}` },
);
