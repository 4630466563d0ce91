import {
  bit,
  cat,
  connect,
  constant,
  fsm,
  module,
  mux,
  node,
  reg,
  sink,
  source,
  stage,
  stream,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat, keepAll, keepTo } from "../../../shared/frame/index.ts";
import { beatBytes } from "../../config/index.ts";
import { inFirst, partsOf, rest } from "./parts.ts";

/**
 * Stands at a node's port and makes of a compound request the WRITE and the READ that it is made of, one behind the
 * other, with its number in both. Both are answered by the node itself; nothing is kept here, so nothing can be lost.
 * All other frames pass as they are. Latency 2 cycles, and one more for every frame's second beat. Initiation interval
 * 1 beat; a compound takes three beats more than it has. Full: a beat is held; the line in front waits. A frame of one
 * or two beats has no line and passes unchanged.
 */
export const Splitter = module(
  "CompoundSplitter",
  () => ({ from: sink(AxisBeat(beatBytes)), to: source(AxisBeat(beatBytes)) }),
  io => {
    const out = stream(AxisBeat(beatBytes), { name: "out" });
    connect(stage(out, "full"), io.to);
    const { from } = io,
      beat = from.payload;
    const head = reg(AxisBeat(beatBytes), { name: "head" }),
      held = reg(AxisBeat(beatBytes), { name: "held" }),
      readFirst = reg(uint(8 * beatBytes), { name: "read_first" }),
      readRest = reg(uint(8 * rest), { name: "read_rest" }),
      splits = reg(bit);

    const { compound: claims, read, written, write } = partsOf(head.data, held.data),
      compound = node(claims.andNot(held.last), { name: "has_line" });

    from.ready.set(0);
    out.valid.set(0);
    out.payload.set(held);
    fsm(["First", "Second", "Judge", "Send", "Rest", "Last", "ReadFirst", "ReadRest"], "First", s => ({
      First: () => {
        from.ready.set(1);
        when(from.valid, () => {
          head.set(beat);
          s.go("Second");
          when(beat.last, () => {
            held.set(beat);
            s.go("Last");
          });
        });
      },
      Second: () => {
        from.ready.set(1);
        when(from.valid, () => {
          held.set(beat);
          s.go("Judge");
        });
      },
      Judge: () => {
        out.valid.set(1);
        out.payload.set({
          data: mux(compound, written, head.data),
          keep: head.keep,
          last: 0,
          user: 0,
        });
        when(out.ready, () => {
          splits.set(compound);
          readFirst.set(read.bits(0, 8 * beatBytes));
          readRest.set(read.bits(8 * beatBytes, 8 * rest));
          when(compound, () =>
            held.set({
              data: cat(held.data.bits(8 * rest, 8 * (beatBytes - rest)), write.bits(inFirst, 8 * rest)),
              keep: held.keep,
              last: held.last,
              user: held.user,
            }),
          );
          s.go("Send");
          when(held.last, () => s.go("Last"));
        });
      },
      Send: () => {
        out.valid.set(1);
        when(out.ready, () => s.go("Rest"));
      },
      Rest: () => {
        from.ready.set(out.ready);
        out.valid.set(from.valid);
        out.payload.set(beat);
        when(from.fire.and(beat.last), () => {
          s.go("First");
          when(splits.and(beat.user.not()), () => s.go("ReadFirst"));
        });
      },
      Last: () => {
        out.valid.set(1);
        when(out.ready, () => s.go("First"));
      },
      ReadFirst: () => {
        out.valid.set(1);
        out.payload.set({ data: readFirst, keep: keepAll(beatBytes), last: 0, user: 0 });
        when(out.ready, () => s.go("ReadRest"));
      },
      ReadRest: () => {
        out.valid.set(1);
        out.payload.set({
          data: readRest.zext(8 * beatBytes),
          keep: keepTo(constant(rest - 1, Math.log2(beatBytes)), beatBytes),
          last: 1,
          user: 0,
        });
        when(out.ready, () => s.go("First"));
      },
    }));
  },
);
