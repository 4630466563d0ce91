import {
  bit,
  cat,
  constant,
  input,
  instance,
  module,
  mux,
  node,
  output,
  reg,
  struct,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesKeys, aesRounds } from "../../../wire/index.ts";
import { blockBits, SubBytes } from "./round.ts";

const keyBits = Math.log2(aesKeys),
  roundBits = 4,
  /** Words of 32 bits: of all round keys, and of the first four, which AES-128 skips. */
  words = 4 * (aesRounds + 1),
  skipped = 16;

/** A round key: it is added behind round `round`, 0 in front of all. */
export const RoundKey = struct({ valid: bit, key: uint(keyBits), round: uint(roundBits), value: uint(blockBits) });
/** A key of 32 bytes, of which AES-128 (`short`) has the first 16; byte 0 lowest. */
export const CipherKey = struct({ valid: bit, key: uint(keyBits), short: bit, value: uint(256) });

/**
 * Key expansion (FIPS-197, section 5.2): a word a cycle, and every fourth cycle a round key. AES-128 skips four rounds,
 * in which nothing is added: so its last round is the last one, too. Latency: 60 cycles until `done`, for a cycle; one
 * that begins meanwhile ends the one before, which is never done. Reset: none is under way.
 */
export const KeyExpansion = module(
  "AesKeyExpansion",
  () => ({
    from: input(CipherKey),
    to: output(RoundKey),
    done: output(struct({ valid: bit, key: uint(keyBits) })),
  }),
  io => {
    const runs = reg(bit, { init: 0, name: "runs" }),
      short = reg(bit, { name: "short" }),
      key = reg(uint(keyBits), { name: "key" }),
      at = reg(uint(6), { init: 0, name: "at" }),
      window = reg(uint(256), { name: "window" }),
      before = reg(uint(96), { name: "before" }),
      rcon = reg(uint(8), { name: "rcon" });
    // Which word it is among those that the last one makes: every fourth, or eighth and the one between.
    const skips = node(short.and(at.lt(skipped)), { name: "skips" }),
      last = node(mux(short, window.bits(96, 32), window.bits(224, 32)), { name: "last" }),
      turns = node(mux(short, at.trunc(2).eq(0), at.trunc(3).eq(0)), { name: "turns" }),
      only = node(short.not().and(at.trunc(3).eq(4)), { name: "only_subs" });
    const table = instance("tables", SubBytes({ bytes: 4 })),
      rotated = cat(last.bits(0, 8), last.bits(8, 24));
    table.from.set(mux(turns, rotated, last).is(32));
    const said = node(table.to.xor(mux(turns, rcon, constant(0, 8)).zext(32)), { name: "said" }),
      next = node(window.bits(0, 32).xor(mux(turns.or(only), said, last)), { name: "next" });
    const word = node(mux(skips, constant(0, 32), window.bits(0, 32)), { name: "word" });
    when(io.from.valid, () => {
      runs.set(1);
      short.set(io.from.short);
      key.set(io.from.key);
      at.set(0);
      window.set(io.from.value);
      rcon.set(1);
    }).elseWhen(runs, () => {
      at.set(at.add(1));
      before.set(cat(word, before.bits(32, 64)).is(96));
      when(at.eq(words - 1), () => runs.set(0));
      when(skips.not(), () => {
        const long = cat(next, window.bits(32, 224)),
          few = cat(window.bits(128, 128), next, window.bits(32, 96));
        window.set(mux(short, few, long).is(256));
        when(turns, () => rcon.set(rcon.shl(1).xor(mux(rcon.bit(7), constant(0x1b, 8), constant(0, 8)))));
      });
    });
    const whole = node(runs.and(at.trunc(2).eq(3)), { name: "whole" }),
      to = reg(RoundKey, { init: { valid: 0 }, name: "to_q" }),
      done = reg(struct({ valid: bit, key: uint(keyBits) }), { init: { valid: 0 }, name: "done_q" });
    to.set({ valid: whole, key, round: at.shr(2).trunc(roundBits), value: cat(word, before) });
    done.set({ valid: runs.and(at.eq(words - 1)).andNot(io.from.valid), key });
    io.to.set(to);
    io.done.set(done);
  },
);
