import {
  assertAlways,
  bit,
  type Bit,
  cat,
  constant,
  input,
  module,
  mux,
  node,
  orTree,
  output,
  priority,
  reg,
  sink,
  source,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat, pickOf } from "../../../shared/frame/index.ts";
import { ethernetHeader } from "../../../shared/wire/index.ts";
import { pfcHeader, refusals } from "../../wire/index.ts";
import { Facts, factsOf } from "./facts.ts";
import {
  judgeBeatBytes,
  JudgedBeat,
  judgedLengthBits,
  JudgedPort,
  type JudgeParameters,
  JudgeReason,
  RefusedPulses,
} from "./records.ts";
import { strip } from "./strip.ts";

const afterEthernet = ethernetHeader.bytes;

/**
 * `bytes` and, of a redirect, those in front of its inner frame's own, and of the inner frame's tag and shim.
 * A table, and not a sum: what it is compared with is another one.
 */
function behindExtra({ encloses, insideWords }: Val<typeof Facts>, bytes: number): UInt {
  const sums = Array.from({ length: 2 ** insideWords.width }, (_, words) =>
    constant(bytes + afterEthernet + 4 * words, judgedLengthBits),
  );
  return mux(encloses, pickOf(insideWords, sums), constant(bytes, judgedLengthBits));
}

/** The first rule that is broken, at a frame's last beat; and whether one is, without the order of the rules. */
function judge(
  p: JudgeParameters,
  facts: Val<typeof Facts>,
  length: UInt,
  ends: { readonly bad: Bit; readonly cut: Bit },
) {
  const long = node(length.gt(behindExtra(facts, p.frameBytes)), { name: "is_long" }),
    insideCut = node(facts.encloses.and(length.lt(behindExtra(facts, afterEthernet))), { name: "inside_cut" }),
    pfcCut = node(facts.verdict.kind.is("pfc").and(length.lt(afterEthernet + pfcHeader.bytes)), { name: "pfc_cut" });
  const broken = [
    [ends.bad, JudgeReason.fcs],
    [long, JudgeReason.long],
    [ends.cut, JudgeReason.short],
    [facts.link, JudgeReason.link],
    [facts.version, JudgeReason.version],
    [facts.shim, JudgeReason.shim],
    [facts.ttl, JudgeReason.ttl],
    [facts.order, JudgeReason.order],
    [facts.enclosed.or(insideCut), JudgeReason.enclosed],
    [facts.pfc.or(pfcCut), JudgeReason.pfc],
    [facts.peer, JudgeReason.peer],
  ] as const;
  return {
    reason: priority(...broken, JudgeReason.none),
    refused: node(orTree(broken.map(([rule]) => rule)), { name: "is_refused" }),
  };
}

/**
 * Takes link shim, 802.1Q tag and sNIC shim off the frames of a port, and judges each by docs/supernic/formats.md
 * (paper §5.4: parse and look-up in front of the scheduler). The first beat of `frame` is the packet's header, those
 * behind it are its payload. The verdict counts on the last beat; a refused frame leaves like all others. Latency: 4
 * cycles from a beat to its beat of `frame`, which needs the beat behind it when there is one. Initiation interval: 1
 * beat, no bubble between frames. Full: a beat is kept, `rx` waits. `refused` pulses in the cycle after the last beat
 * of a refused frame has left. A frame that is too long is taken to its end, and one beat more than fits leaves.
 * Reset: no frame is under way. `config` must not change while frames come.
 */
export const Judge = module(
  "Judge",
  (_p: JudgeParameters) => ({
    rx: sink(AxisBeat(judgeBeatBytes)),
    frame: source(JudgedBeat),
    config: input(JudgedPort),
    refused: output(RefusedPulses),
  }),
  (io, p) => {
    const valid = reg(bit, { init: 0, name: "judged_valid" }),
      room = node(valid.not().or(io.frame.ready), { name: "judged_room" });
    const stripped = strip(p, io.rx, room);

    const data = reg(uint(judgeBeatBytes * 8), { name: "judged_data" }),
      facts = reg(Facts, { name: "judged_facts" }),
      length = reg(uint(judgedLengthBits), { name: "judged_length" }),
      first = reg(bit, { name: "judged_first" }),
      last = reg(bit, { name: "judged_last" }),
      ends = { bad: reg(bit, { name: "judged_bad" }), cut: reg(bit, { name: "judged_cut" }) };
    when(room, () => valid.set(stripped.valid));
    when(room.and(stripped.valid), () => {
      data.set(stripped.data);
      first.set(stripped.first);
      last.set(stripped.last);
      ends.bad.set(stripped.bad);
      ends.cut.set(stripped.cut);
      length.set(
        cat(stripped.index, constant(0, 6)).resize(judgedLengthBits).add(stripped.count.zext(judgedLengthBits)),
      );
      when(stripped.first, () => facts.set(factsOf(stripped, io.config)));
    });

    const { reason, refused } = judge(p, facts, length, ends),
      beyond = node(facts.ipEnd.gt(length.zext(17)), { name: "ip_beyond" });
    io.frame.valid.set(valid);
    io.frame.payload.set({
      data,
      first,
      last,
      refused,
      verdict: { ...facts.verdict, reason, length, noL4: facts.hasPorts.not().or(beyond) },
    });

    const pulses = reg(RefusedPulses, { init: 0, name: "refused_q" }),
      leaves = node(io.frame.fire.and(last), { name: "frame_leaves" });
    for (const name of refusals) pulses[name].set(leaves.and(reason.eq(name)));
    io.refused.set(pulses);
    assertAlways(valid.not().or(refused.eq(reason.ne("none"))), "a frame is refused if there is a reason");
  },
  { nameOf: p => `Judge_f${p.frameBytes}` },
);
