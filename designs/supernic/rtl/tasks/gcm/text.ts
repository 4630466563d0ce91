/** Key stream meets text, and the hash gets its words. Wires, and what is carried from beat to beat. */
import {
  type Bit,
  cat,
  constant,
  mux,
  node,
  onehotMux,
  reg,
  repeat,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesFrom, taskHeaderBytes } from "../../../wire/index.ts";
import { blockBits, bodyAt, type Direction, lanes, nonceBits, turned } from "../aes/index.ts";
import { headerBits } from "../interface.ts";
import { payloadBits } from "../payload.ts";
import { tailMask } from "../payload-tasks.ts";
import { carriedBytes, type KeptHead, type SlotMeant } from "./slots.ts";

const carriedBits = 8 * carriedBytes,
  nonceBytes = nonceBits / 8;

interface Given {
  readonly meant: Val<typeof SlotMeant>;
  readonly kept: Val<typeof KeptHead>;
  /** The beat of key stream, and the beat of payload. */
  readonly word: UInt;
  readonly data: UInt;
  /** They are taken. */
  readonly meets: Bit;
}

/** The block behind a text: bits of the nonce, and of the text, each in 8 bytes. */
function lengthBlock(text: UInt): UInt {
  const bits = turned(text.zext(24).shl(3));
  return bits
    .zext(blockBits)
    .shl(blockBits - 24)
    .or(constant(BigInt(8 * nonceBytes) << 56n, blockBits));
}

/**
 * What comes of a beat. A text begins 2 bytes in front of a beat, so of key stream a block is carried, and of text for
 * the hash its first 2 bytes. In a header that is sealed it begins at byte 14, behind the block of the nonce.
 */
export function meet({ meant, kept, word, data, meets }: Given, direction: Direction) {
  const seals = direction === "encrypt",
    { head, end, ends, beyond, tail, carries, text } = meant;
  const block = reg(uint(blockBits), { name: "carried_block" }),
    bytes = reg(uint(carriedBits), { name: "carried_bytes" }),
    last = word.bits((lanes - 1) * blockBits, blockBits);
  const goesOn = node(meets.andNot(end.or(meant.power)), { name: "text_goes_on" });
  when(goesOn, () => block.set(last.is(blockBits)));

  // The text is what is encrypted: bytes behind it count nowhere.
  const counts = node(
    mux(ends, tailMask(tail), constant((1n << BigInt(payloadBits)) - 1n, payloadBits)).and(
      repeat(beyond.not(), payloadBits),
    ),
    { name: "text_bytes" },
  );
  const heading = seals ? word.zext(headerBits).shl(8 * aesFrom) : last.zext(headerBits).shl(8 * bodyAt.decrypt),
    header = node(kept.header.xor(heading).is(headerBits), { name: "header_text" }),
    stream = cat(word, block.bits(carriedBits, blockBits - carriedBits)).trunc(payloadBits),
    body = node(data.xor(stream).and(counts).is(payloadBits), { name: "body" }),
    cipher = seals ? body : data.and(counts),
    headCipher = seals ? header.and(counts) : kept.header;

  const nonce = kept.iv.zext(payloadBits),
    tops = (of: UInt): UInt => of.bits(8 * taskHeaderBytes - carriedBits, carriedBits);
  when(goesOn, () => bytes.set(mux(head, tops(headCipher), tops(cipher)).is(carriedBits)));
  const lengths = lengthBlock(text),
    words = [
      seals
        ? headCipher
            .shr(8 * aesFrom)
            .shl(blockBits)
            .or(nonce)
        : nonce,
      mux(carries, cat(lengths, bytes.zext(blockBits)), lengths.zext(2 * blockBits)).zext(payloadBits),
      cat(cipher, bytes).trunc(payloadBits),
    ];
  return {
    /** Bytes of it behind the end of its frame are 0. */
    header: seals ? headCipher : header,
    body,
    /** Bytes of payload behind the text. */
    behind: data.and(counts.not()),
    hashed: node(onehotMux([head, end, head.or(end).not()], words).is(payloadBits), { name: "hashed" }),
  };
}
