import {
  bit,
  cat,
  constant,
  input,
  instance,
  module,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesKeys, aesRounds, aesShortRounds } from "../../../wire/index.ts";
import { RoundKey } from "./keys.ts";
import { blockBits, Round } from "./round.ts";

/** Blocks of a beat: each has a pipeline of its own. */
export const lanes = 4;
/** Bits of a block's number within a packet. */
export const blockNumberBits = 32;
/** Bits in front of the number. */
export const nonceBits = 96;

/** A beat of key stream that is wanted: `iv` in front of the numbers of four blocks, from `block` on. */
export const StreamAsk = struct({
  key: uint(Math.log2(aesKeys)),
  /** It is a key of AES-128. */
  short: bit,
  iv: uint(nonceBits),
  block: uint(blockNumberBits),
});

/** The block that is encrypted: 12 bytes of `iv`, and the block's number, its highest byte first. */
function counterBlock(iv: UInt, number: UInt): UInt {
  return cat(...[0, 8, 16, 24].map(at => number.bits(at, 8)), iv);
}

/**
 * AES in counter mode (SP 800-38A, section 6.5): for each beat that is asked for 512 bits of key stream, from four
 * pipelines with a stage for each round. Latency 15 cycles, initiation interval 1. Full (`stream` is not taken): all
 * stages wait. `keys` brings round keys, always taken: a beat under way with that key is of the old key or the new one,
 * or of neither. Reset: nothing is under way; keys stay.
 */
export const CounterMode = module(
  "AesCounterMode",
  () => ({
    ask: sink(StreamAsk),
    stream: source(uint(lanes * blockBits)),
    keys: input(RoundKey),
    /** Nothing is under way. */
    idle: output(bit),
  }),
  io => {
    const stages = aesRounds + 1,
      { ask, stream, keys } = io;
    const valid = Array.from({ length: stages }, (_, s) => reg(bit, { init: 0, name: `valid_${s}` })),
      out = valid[stages - 1] as (typeof valid)[number];
    const moves = node(out.not().or(stream.ready), { name: "moves" });
    ask.ready.set(moves);
    stream.valid.set(out);
    io.idle.set(valid.reduce<UInt<1>>((any, v) => any.or(v), constant(0, 1)).not());
    when(moves, () => valid.forEach((v, s) => v.set(valid[s - 1] ?? ask.valid)));

    // With each beat its key, as far as rounds still need it.
    let who: { readonly key: UInt; readonly short: UInt } = ask.payload,
      blocks: readonly UInt[] = Array.from({ length: lanes }, (_, lane) =>
        counterBlock(ask.payload.iv, ask.payload.block.add(lane)),
      );
    for (let s = 0; s < stages; s++) {
      const roundKeys = ram(uint(blockBits), {
        depth: aesKeys,
        style: "distributed",
        collision: "undefined",
        name: `round_keys_${s}`,
      });
      roundKeys.write(keys.valid.and(keys.round.eq(s)), keys.key, keys.value);
      const key = roundKeys.readAsync(who.key.is(Math.log2(aesKeys))),
        skips = s > 0 && s <= aesRounds - aesShortRounds,
        { short } = who;
      const next = blocks.map((block, lane) => {
        const state = reg(uint(blockBits), { name: `state_${s}_${lane}` });
        let to: UInt = block.xor(key);
        if (s > 0) {
          const round = instance(`round_${s}_${lane}`, Round({ last: s === aesRounds, skips }));
          round.from.set(block.is(blockBits));
          round.key.set(key);
          if (skips) round.skips.set(short.bit(0));
          to = round.to;
        }
        when(moves, () => state.set(to.is(blockBits)));
        return state;
      });
      blocks = next;
      if (s < stages - 1) {
        const nextKey = reg(uint(Math.log2(aesKeys)), { name: `key_${s}` }),
          from = who;
        when(moves, () => nextKey.set(from.key.is(Math.log2(aesKeys))));
        let nextShort: UInt = short;
        if (s < aesRounds - aesShortRounds) {
          const kept = reg(bit, { name: `short_${s}` });
          when(moves, () => kept.set(short.bit(0)));
          nextShort = kept;
        }
        who = { key: nextKey, short: nextShort };
      }
    }
    stream.payload.set(cat(...blocks.toReversed()).is(lanes * blockBits));
  },
);
