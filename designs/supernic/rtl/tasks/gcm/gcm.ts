import {
  bit,
  connect,
  constant,
  fifo,
  type Given,
  instance,
  join,
  map,
  module,
  mux,
  node,
  orTree,
  reg,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  type Val,
  when,
  wire,
} from "../../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../../shared/stream/index.ts";
import { aesDrops, aesKeys, type Declared, taskTagBits } from "../../../wire/index.ts";
import {
  blockBits,
  CounterMode,
  type Direction,
  holds,
  KeyDone,
  keyRows,
  lanes,
  look,
  declared as ofTunnel,
} from "../aes/index.ts";
import { headerBits, noFront, type Task, TaskAnswer, TaskVerdict } from "../interface.ts";
import { asTask, PayloadBeat, trailingTaskPorts } from "../payload.ts";
import { Ghash } from "./ghash.ts";
import { hashKeys } from "./hash-keys.ts";
import { HashPowers } from "./powers.ts";
import { askSlots } from "./slots.ts";
import { spoiledPackets } from "./spoiled.ts";
import { meet } from "./text.ts";

const own = { interval: 2, latency: 24, prepares: 528 } as const;
const declared: Readonly<Record<Direction, Declared>> = {
  encrypt: { ...ofTunnel.encrypt, ...own, name: "seal", trailer: "puts" },
  decrypt: { ...ofTunnel.decrypt, ...own, name: "open", trailer: "cuts" },
};

/** A header that waits for its tag. */
const AwaitingTag = struct({
  tag: uint(taskTagBits),
  good: bit,
  header: uint(headerBits),
  template: uint(8),
  bytes: uint(7),
});
/** What hides a tag; and of one that is opened, the tag that came with it. */
const Hidden = struct({ mask: uint(blockBits), came: uint(blockBits) });
/** A header with its tag: right, if it is the one that came. */
const Tagged = struct({ ...AwaitingTag.fields, right: bit, trailer: uint(blockBits) });

const answerOf = (h: Val<typeof Tagged>, direction: Direction): Given<typeof TaskAnswer> => ({
  ...noFront,
  tag: h.tag,
  verdict: mux(h.right, TaskVerdict.forward, TaskVerdict.drop),
  header: h.header,
  mask: ofTunnel[direction].writes,
  prepend: direction === "encrypt" ? h.template : 0,
  frontBytes: direction === "encrypt" ? h.bytes : 0,
  dropFront: aesDrops[direction],
});

/** The bytes of a tag that came, in their lanes modulo 16; `turn`: the lane of the first one. */
function cameTag(behind: UInt, meets: { readonly head: UInt<1>; readonly body: UInt<1> }, turn: UInt): UInt {
  const gathered = reg(uint(blockBits), { name: "tag_that_came" }),
    four = Array.from({ length: lanes }, (_, i) => behind.bits(i * blockBits, blockBits)).reduce((a, b) => a.or(b));
  when(meets.head, () => gathered.set(0)).elseWhen(meets.body, () => gathered.set(gathered.or(four).is(blockBits)));
  let out: UInt = gathered;
  for (let k = 0; k < turn.width; k++) {
    const by = 8 * 2 ** k,
      from = out;
    out = mux(
      turn.bit(k),
      from
        .shr(by)
        .or(from.shl(blockBits - by))
        .is(blockBits),
      from,
    );
  }
  return out;
}

/**
 * AES-GCM (SP 800-38D) as a tunnel whose packets carry a tag of 16 bytes: docs/supernic/gcm.md. Keys, nonces and the
 * place of the text are those of the tunnel in counter mode. Latency 24; a beat of 64 bytes a cycle, and two cycles
 * more for each packet. What is opened is answered behind its last beat: a packet whose tag is wrong is dropped. Full:
 * it takes no packet while 32 are inside. Reset: nothing is inside, no row is live, and there is no launch.
 */
const Gcm = module(
  "AesGcm",
  (_: { readonly direction: Direction }) => trailingTaskPorts(),
  (io, { direction }) => {
    const seals = direction === "encrypt",
      keyBits = Math.log2(aesKeys);
    const prepared = wire(KeyDone, { name: "prepared" }),
      rows = keyRows(io.config, prepared),
      mode = instance("mode", CounterMode()),
      hash = instance("hash", Ghash()),
      powers = instance("powers", HashPowers()),
      keys = hashKeys(rows.begun, rows.expanded, powers);
    prepared.set(powers.done);
    hash.power.set(powers.power);
    mode.keys.set(rows.roundKeys);

    const { tag, arg } = io.packet.payload,
      isSpoiled = spoiledPackets({ valid: io.packet.fire, tag, key: arg.trunc(keyBits) }, rows.begun),
      { looked, isFirst } = look(io.packet, io.config, rows, direction, true),
      { valid, ask, asksKey, meant, kept } = askSlots(looked, mode.ask.ready, direction, keys.wanted);
    mode.ask.valid.set(valid);
    mode.ask.payload.set(ask);

    // The key stream meets what it is for.
    const waits = stream(AwaitingTag, { name: "waits" }),
      beats = stream(PayloadBeat, { name: "beats" }),
      { power, head, end, last } = meant.payload,
      word = mode.stream.payload,
      there = node(mode.stream.valid.and(meant.valid), { name: "there" });
    const heads = node(there.and(head), { name: "heads" }),
      ends = node(there.and(end), { name: "ends" }),
      comes = node(there.and(power), { name: "power_comes" }),
      bodies = node(there.andNot(orTree([head, end, power])), { name: "bodies" });
    keys.step(asksKey, comes, word.bits(0, blockBits));
    const meets = node(orTree([waits.fire, beats.fire, ends, comes]), { name: "meets" }),
      { header, body, behind, hashed } = meet(
        { meant: meant.payload, kept: kept.payload, word, data: io.payload.payload.data, meets },
        direction,
      );
    waits.valid.set(heads.and(kept.valid));
    const { iv: _, header: _h, ...said } = kept.payload;
    waits.payload.set({ ...said, header });
    kept.ready.set(heads.and(waits.ready));
    beats.valid.set(bodies.and(io.payload.valid));
    beats.payload.set({ data: body.is(headerBits), last });
    io.payload.ready.set(bodies.and(beats.ready));
    mode.stream.ready.set(meets);
    meant.ready.set(meets);
    connect(stage(beats, "full", { name: "out" }), io.back);

    hash.word.set({
      valid: meets.andNot(power),
      key: meant.payload.key,
      first: head,
      last: end,
      blocks: meant.payload.blocks,
      data: hashed,
    });
    // No more packets are inside than these have room for.
    const came = seals
        ? constant(0, blockBits)
        : cameTag(behind, { head: waits.fire, body: beats.fire }, meant.payload.tail.trunc(4)),
      hidden = passQueue("hidden", Hidden, holds, ends, { mask: word.bits(0, blockBits), came: came.is(blockBits) }),
      hashes = passQueue("hashes", uint(blockBits), holds, hash.hash.valid, hash.hash.value),
      waiting = fifo(waits, holds, { name: "waiting", style: "distributed" });
    const tagged = map(
      join({ waiting, hidden, hashes }, { name: "tagging" }),
      Tagged,
      ({ waiting: w, hidden: h, hashes: y }) => {
        const made = node(y.xor(h.mask).is(blockBits), { name: "tag_made" }),
          fits = seals ? constant(1, 1) : made.eq(h.came);
        return { ...w, right: w.good.and(fits).andNot(isSpoiled(w.tag)), trailer: made };
      },
      { name: "tagged" },
    );
    const answered = stage(tagged, "full", { name: "answered" });
    io.trailer.set({ valid: answered.payload.right, bytes: seals ? answered.payload.trailer : 0 });
    connect(
      map(answered, TaskAnswer, h => answerOf(h, direction)),
      io.answer,
    );
    io.quiet.set(orTree([isFirst, looked.valid, meant.valid, waiting.valid, answered.valid]).not());
  },
  { nameOf: ({ direction }) => `AesGcm_${direction === "encrypt" ? "seal" : "open"}` },
);
/** Seals packets of IPv4: encrypts them into a tunnel, with a tag behind. */
export const gcmSeal: Task = { declared: declared.encrypt, hardware: asTask(Gcm({ direction: "encrypt" })) };
/** Opens what was sealed, and drops what was changed. */
export const gcmOpen: Task = { declared: declared.decrypt, hardware: asTask(Gcm({ direction: "decrypt" })) };
