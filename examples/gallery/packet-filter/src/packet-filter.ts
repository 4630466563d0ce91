import {
  addressBits,
  axisBeat,
  bit,
  fifo,
  fork,
  module,
  output,
  reg,
  sink,
  source,
  stage,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  vec,
  when,
} from "mnemosyne";
import { beatBytes, headers } from "./header.ts";
import { judge, Rule, type Verdict } from "./rules.ts";

const Beat = axisBeat(beatBytes);

export interface FilterParameters {
  readonly rules: number;
  /** Beats that wait for their verdict, 16 or more. */
  readonly depth: number;
  /** What becomes of frames that no rule matches. */
  readonly otherwise: "pass" | "drop";
}

/** Lets a frame's beats through, or takes them from the way, by its verdict. */
function obey(
  beats: StreamIn<typeof Beat>,
  verdicts: StreamIn<typeof Verdict>,
  to: StreamOut<typeof Beat>,
): StreamIn<typeof Beat>["valid"] {
  const drops = verdicts.payload.drop,
    goes = drops.or(to.ready);
  to.valid.set(beats.valid.and(verdicts.valid).andNot(drops));
  to.payload.set(beats.payload);
  beats.ready.set(verdicts.valid.and(goes));
  verdicts.ready.set(beats.valid.and(beats.payload.last).and(goes));
  return verdicts.fire.and(drops);
}

/**
 * A filter of Ethernet frames: eight bytes a beat, one beat a cycle. The first rule that matches decides; a frame that
 * no rule matches goes by `otherwise`. Frames keep their order and their bytes. A frame's first beat leaves 9 cycles
 * after it came (a shorter frame's sooner), without waiting for its end. When `to` waits, `depth` beats are held, then
 * `from` waits. A rule that is set counts from the next header on. Reset empties the filter and disables the rules.
 */
export const PacketFilter = module(
  "PacketFilter",
  (p: FilterParameters) => ({
    from: sink(Beat),
    to: source(Beat),
    /** A new content of one rule; it is always taken. */
    rule: sink(struct({ index: uint(addressBits(p.rules)), rule: Rule })),
    /** The last beat of a frame is taken from the way. */
    dropped: output(bit),
  }),
  (io, p) => {
    if (p.depth < 16) throw new RangeError(`depth = ${p.depth}: 16 beats or more wait for their verdict`);
    const rules = reg(vec(Rule, p.rules), { init: Array.from({ length: p.rules }, () => disabled) });
    io.rule.ready.set(1);
    when(io.rule.valid, () => rules.setAt(io.rule.payload.index, io.rule.payload.rule));

    const [stored, looked] = fork(io.from, 2);
    const beats = fifo(stored, p.depth),
      verdicts = fifo(judge(stage(headers(looked), "forward"), rules.toArray(), p.otherwise), p.depth);
    io.dropped.set(obey(beats, verdicts, io.to));
  },
);

const disabled = {
  ...{ enabled: 0, drop: 0, source: 0, sourceMask: 0, destination: 0, destinationMask: 0 },
  ...{ anyProtocol: 0, protocol: 0, low: 0, high: 0 },
};
