/** The beats of key stream of a packet, and of a key: what each is for, and which blocks of a message go with it. */
import {
  bit,
  constant,
  fifo,
  mux,
  node,
  onehotMux,
  reg,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesKeys, trailerBytes } from "../../../wire/index.ts";
import {
  blockNumberBits,
  type Direction,
  holds,
  lanes,
  type Looked,
  nonceBits,
  Said,
  type StreamAsk,
} from "../aes/index.ts";

const keyBits = Math.log2(aesKeys);
/** The number of the block that hides a tag, J0; the text's first block has the next one. */
const tagBlock = 1;
/** Bytes that a beat of payload takes over from the block that has begun in front of it. */
export const carriedBytes = 2;

/** A beat of key stream on its way: of a header, of a beat of payload, behind all of them, or of a hash key. */
export const SlotMeant = struct({
  power: bit,
  head: bit,
  end: bit,
  key: uint(keyBits),
  /** Of payload: its last beat. */
  last: bit,
  /** The text ends in it, with `tail` bytes (0: 64); it has ended before. */
  ends: bit,
  beyond: bit,
  tail: uint(6),
  /** Blocks for the hash; behind all: one of them has the bytes that were carried. */
  blocks: uint(3),
  carries: bit,
  text: uint(14),
});
/** What is kept of a header for its answer, and for the hash. */
export const KeptHead = struct({ ...Said.fields, iv: uint(nonceBits) });

/** Blocks that so many bytes of text make with those that were carried, or behind the block of the nonce. */
const blocksOf = (tail: UInt<6>): UInt => {
  const whole = tail.any().not();
  return constant(1, 3)
    .add(whole.or(tail.ge(15)).zext(3))
    .add(whole.or(tail.ge(31)).zext(3))
    .add(whole.or(tail.ge(47)).zext(3));
};

/** Where a packet's text ends. */
function textOf({ beats, tail, headBytes }: Val<ReturnType<typeof Looked>>, direction: Direction) {
  const opens = direction === "decrypt",
    none = node(beats.any().not(), { name: "has_no_payload" }),
    // The last beat has nothing but the end of the tag.
    early = opens ? node(tail.any().and(tail.le(trailerBytes)), { name: "text_ends_early" }) : constant(0, 1),
    left = node(opens ? tail.sub(trailerBytes) : mux(none, headBytes.trunc(6), tail), { name: "text_tail" }).is(6),
    carries = node(left.any().not().or(left.all()), { name: "text_carries" });
  return { none, early, left, carries, blocks: node(blocksOf(left), { name: "text_blocks" }) };
}

/** A hash key that is wanted, and whether it is asked for now. */
export interface KeyAsk {
  readonly valid: UInt<1>;
  readonly key: UInt;
  readonly short: UInt<1>;
}

/**
 * Asks for a beat of key stream for each header, each beat of payload, and behind all of them for the block that hides
 * the tag. A hash key goes first. Tells what each is for.
 */
export function askSlots(
  looked: StreamIn<ReturnType<typeof Looked>>,
  ready: UInt<1>,
  direction: Direction,
  wanted: KeyAsk,
): {
  readonly valid: UInt<1>;
  readonly ask: Val<typeof StreamAsk>;
  readonly asksKey: UInt<1>;
  readonly meant: StreamIn<typeof SlotMeant>;
  readonly kept: StreamIn<typeof KeptHead>;
} {
  const seals = direction === "encrypt",
    at = reg(uint(8), { init: 0, name: "slot" }),
    behind = reg(bit, { init: 0, name: "is_behind" }),
    { tag, good, header, template, bytes, key, short, iv, beats, text } = looked.payload,
    { none, early, left, carries, blocks } = textOf(looked.payload, direction);
  const power = wanted.valid,
    head = node(at.any().not().andNot(behind), { name: "is_head" }),
    lastBeat = node(at.eq(beats), { name: "is_last_beat" }),
    lastText = seals ? lastBeat : mux(early, at.add(1).eq(beats), lastBeat);
  const meant = stream(SlotMeant, { name: "meant" }),
    kept = stream(KeptHead, { name: "kept" });
  const asks = node(meant.ready.and(power.or(looked.valid.and(head.not().or(kept.ready)))), { name: "asks" }),
    asked = node(asks.and(ready), { name: "asked" }),
    steps = node(asked.andNot(power), { name: "steps" });
  const ends = node(mux(head, none, lastText), { name: "text_ends_here" }),
    beyond = node(early.and(lastBeat).andNot(head).andNot(behind), { name: "is_beyond" }),
    four = constant(lanes, 3),
    one = constant(1, 3);
  meant.valid.set(asked);
  meant.payload.set({
    power,
    head: head.andNot(power),
    end: behind.andNot(power),
    key: mux(power, wanted.key, key).is(keyBits),
    last: lastBeat,
    ends,
    beyond,
    tail: left,
    blocks: onehotMux(
      [head, behind, beyond, head.or(behind).or(beyond).not()],
      [
        seals ? mux(none, blocks, four) : one,
        one.add(carries.andNot(early).zext(3)),
        carries.zext(3),
        mux(ends, blocks, four),
      ],
    ).is(3),
    carries: carries.andNot(early),
    text,
  });
  kept.valid.set(steps.and(head));
  kept.payload.set({ tag, good, header, template, bytes, iv });
  looked.ready.set(steps.and(behind));
  when(steps, () => {
    behind.set(lastBeat.andNot(behind));
    at.set(mux(behind.or(lastBeat), constant(0, at.width), at.add(1)));
  });

  // The header's first block, or its last, is the first of the text; each beat begins in the middle of one.
  const from = tagBlock + 1 - (seals ? 0 : lanes - 1),
    number = node(
      at
        .zext(blockNumberBits)
        .shl(Math.log2(lanes))
        .add(constant(BigInt(from) & 0xffff_ffffn, blockNumberBits)),
      {
        name: "text_block",
      },
    );
  return {
    valid: asks,
    ask: {
      key: mux(power, wanted.key, key).is(keyBits),
      short: mux(power, wanted.short, short),
      iv: mux(power, constant(0, nonceBits), iv).is(nonceBits),
      block: mux(power, constant(0, blockNumberBits), mux(behind, constant(tagBlock, blockNumberBits), number)).is(
        blockNumberBits,
      ),
    },
    asksKey: node(asked.and(power), { name: "asks_key" }),
    meant: fifo(meant, holds, { name: "meanings", style: "distributed" }),
    kept: fifo(kept, holds, { name: "headers", style: "distributed" }),
  };
}
