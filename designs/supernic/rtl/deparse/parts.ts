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
import { trailerBytes } from "../../wire/index.ts";
import { beatBytes, countBits, type Leaving } from "./records.ts";

/** The beat of a payload behind its first. */
const secondBeat = 2;

/** The next beat of a packet. */
export interface Part {
  readonly isFront: Bit;
  readonly isHead: Bit;
  readonly isBody: Bit;
  readonly isTail: Bit;
  /** First and last beat of the packet; last beat of its payload. */
  readonly first: Bit;
  readonly last: Bit;
  /** What is told of it here counts. */
  readonly known: Bit;
  /** How many bytes of it count. */
  readonly bytes: UInt;
}

/** Behind a header: the payload, and a trailer behind that. */
function rest({ hasBody, hasTail, payloadBeats }: Val<ReturnType<typeof Leaving>>, isRest: Bit) {
  const bodyDone = reg(bit, { init: 0, name: "body_done" }),
    ends = reg(bit, { name: "rest_ends" }),
    only = node(mux(hasBody, payloadBeats.eq(1).andNot(hasTail), constant(1, 1)), { name: "rest_is_one_part" });
  return {
    isBody: node(isRest.and(hasBody).andNot(bodyDone), { name: "is_body" }),
    isTail: node(isRest.and(hasBody.not().or(bodyDone)), { name: "is_tail" }),
    more: hasBody.or(hasTail),
    ends,
    /** `body`: a beat of payload is taken, the last one if `final`; `near`: the one behind it is the last. */
    step: (p: { takes: Bit; last: Bit; body: Bit; final: Bit; near: Bit; begun: Bit }): void => {
      when(p.takes, () => bodyDone.set(p.last.not().and(bodyDone.or(p.body.and(p.final)))));
      ends.set(mux(p.body, p.final.or(p.near.andNot(hasTail)), mux(isRest.and(p.begun), ends, only)));
    },
  };
}

/**
 * What goes in front, the header, the payload, the trailer; `step` goes on to the next beat, and behind the last to the
 * first. How much there is of a payload is known a cycle after the packet is: `known` tells it.
 */
export function partOf(
  packet: Val<ReturnType<typeof Leaving>>,
  known: Bit,
  trailers = false,
): Part & { readonly step: (takes: Bit) => void } {
  const { template, hasFront, hasHead, hasBody, headLength, payloadBytes, payloadBeats } = packet;
  const begun = reg(bit, { init: 0, name: "begun" }),
    headDone = reg(bit, { init: 0, name: "head_done" }),
    next = reg(uint(payloadBeats.width), { init: secondBeat, name: "body_next" }),
    bodyEnds = reg(bit, { name: "body_ends" });
  const isFront = node(hasFront.andNot(begun), { name: "is_front" }),
    isHead = node(hasHead.andNot(headDone).andNot(isFront), { name: "is_head" }),
    isRest = node(isFront.or(isHead).not(), { name: trailers ? "is_rest" : "is_body" });
  const tail = trailers ? rest(packet, isRest) : undefined,
    isBody = tail?.isBody ?? isRest,
    isTail = tail?.isTail ?? constant(0, 1),
    more = tail?.more ?? hasBody;
  const others = node(mux(isFront, hasHead.or(more), more), { name: "has_more_parts" }),
    last = node(mux(isRest, tail?.ends ?? bodyEnds, others.not()), { name: "is_last" });
  const lastBytes = payloadBytes.bits(0, Math.log2(beatBytes)),
    whole = node(bodyEnds.not().or(lastBytes.any().not()), { name: "is_whole_beat" });
  return {
    isFront,
    isHead,
    isBody,
    isTail,
    known: node(isBody.not().or(begun).or(known), { name: "part_is_known" }),
    first: begun.not(),
    last,
    bytes: onehotMux(
      [isFront, isHead, isBody, ...(trailers ? [isTail] : [])],
      [
        template.bytes,
        headLength,
        mux(whole, constant(beatBytes, countBits), lastBytes.zext(countBits)),
        ...(trailers ? [constant(trailerBytes, countBits)] : []),
      ],
    ),
    step: takes => {
      const body = node(takes.and(isBody), { name: "takes_body" });
      when(takes, () => {
        begun.set(last.not());
        headDone.set(last.not().and(isFront.not()));
      });
      when(body, () => next.set(mux(bodyEnds, constant(secondBeat, next.width), next.add(1))));
      tail?.step({ takes, last, body, final: bodyEnds, near: next.eq(payloadBeats), begun });
      bodyEnds.set(mux(body, next.eq(payloadBeats), mux(isBody.and(begun), bodyEnds, payloadBeats.eq(1))));
    },
  };
}
