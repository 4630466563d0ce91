/** The parts of a packet one after the other, a beat in each cycle. */
import {
  type Bit,
  bit,
  constant,
  mux,
  node,
  onehotMux,
  reg,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { beatBytes, countBits, type Leaving } from "./records.ts";

/** The beat of a payload behind its first. */
const secondBeat = 2;

/** The next beat of a packet. */
export interface Part {
  readonly isFront: Bit;
  readonly isHead: Bit;
  readonly isBody: Bit;
  /** First and last beat of the packet; last beat of its payload. */
  readonly first: Bit;
  readonly last: Bit;
  /** What is told of it here counts. */
  readonly known: Bit;
  /** How many bytes of it count. */
  readonly bytes: UInt;
}

/**
 * What goes in front, the header, the payload; `step` goes on to the next beat, and behind the last to the first. How
 * much there is of a payload is known a cycle after the packet is: `known` tells it.
 */
export function partOf(
  packet: Val<ReturnType<typeof Leaving>>,
  known: Bit,
): Part & { readonly step: (takes: Bit) => void } {
  const { template, hasFront, hasHead, hasBody, headLength, payloadBytes, payloadBeats } = packet;
  const begun = reg(bit, { init: 0, name: "begun" }),
    headDone = reg(bit, { init: 0, name: "head_done" }),
    next = reg(uint(payloadBeats.width), { init: secondBeat, name: "body_next" }),
    bodyEnds = reg(bit, { name: "body_ends" });
  const isFront = node(hasFront.andNot(begun), { name: "is_front" }),
    isHead = node(hasHead.andNot(headDone).andNot(isFront), { name: "is_head" }),
    isBody = node(isFront.or(isHead).not(), { name: "is_body" });
  const others = node(mux(isFront, hasHead.or(hasBody), hasBody), { name: "has_more_parts" }),
    last = node(mux(isBody, bodyEnds, others.not()), { name: "is_last" });
  const rest = payloadBytes.bits(0, Math.log2(beatBytes)),
    whole = node(bodyEnds.not().or(rest.any().not()), { name: "is_whole_beat" });
  return {
    isFront,
    isHead,
    isBody,
    known: node(isBody.not().or(begun).or(known), { name: "part_is_known" }),
    first: begun.not(),
    last,
    bytes: onehotMux(
      [isFront, isHead, isBody],
      [template.bytes, headLength, mux(whole, constant(beatBytes, countBits), rest.zext(countBits))],
    ),
    step: takes => {
      const body = node(takes.and(isBody), { name: "takes_body" });
      when(takes, () => {
        begun.set(last.not());
        headDone.set(last.not().and(isFront.not()));
      });
      when(body, () => next.set(mux(bodyEnds, constant(secondBeat, next.width), next.add(1))));
      bodyEnds.set(mux(body, next.eq(payloadBeats), mux(isBody.and(begun), bodyEnds, payloadBeats.eq(1))));
    },
  };
}
