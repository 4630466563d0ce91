import {
  bit,
  cat,
  constant,
  map,
  node,
  orTree,
  stage,
  type StreamIn,
  struct,
  uint,
  type Val,
} from "../../../../../hdl-dsl/index.ts";
import { aesDrops, aesFrom, aesKeys, taskHeaderBytes, taskTagBits, trailerBytes } from "../../../wire/index.ts";
import { headerBits, type TaskConfig, type TaskPacket } from "../interface.ts";
import { payloadBits } from "../payload.ts";
import { tailOf } from "../payload-tasks.ts";
import { nonceBits } from "./counter-mode.ts";
import { bodyAt, type Direction, fits, from, macsOf, nonceAt } from "./directions.ts";
import { nonces, turned } from "./nonces.ts";
import { type keyRows, macRows } from "./rows.ts";

const keyBits = Math.log2(aesKeys),
  beatBytes = payloadBits / 8;

/** What is said of a packet's header: as it will be, but for the key stream on what is encrypted of it. */
export const Said = struct({
  tag: uint(taskTagBits),
  good: bit,
  header: uint(headerBits),
  template: uint(8),
  bytes: uint(7),
});
const lengths = {
  headBytes: uint(7),
  /** Bytes of what is encrypted, if there are no more behind it than a trailer of one that is decrypted. */
  text: uint(14),
} as const;
/** A packet with all that its beats of key stream need; `withLengths`: and all that its hash needs. */
export const Looked = (withLengths: boolean) =>
  struct({
    ...Said.fields,
    key: uint(keyBits),
    short: bit,
    iv: uint(nonceBits),
    /** Beats of its payload, and bytes of the last one, as `tailOf` has them. */
    beats: uint(8),
    tail: uint(6),
    ...(withLengths ? lengths : ({} as typeof lengths)),
  });

/** Header and payload hold what is encrypted, and one that is decrypted has a trailer behind it. */
const lengthsOf = ({ headBytes, payloadBytes }: Val<typeof TaskPacket>, direction: Direction) => ({
  headBytes,
  text: (direction === "encrypt"
    ? payloadBytes.add(headBytes.sub(aesFrom).zext(payloadBytes.width))
    : payloadBytes.sub(trailerBytes - (taskHeaderBytes - bodyAt.decrypt))
  ).is(14),
});

/** The row of a packet, and its nonce: a new one, or the one that it brings. Latency 2, initiation interval 1. */
export function look(
  packets: StreamIn<typeof TaskPacket>,
  config: Val<typeof TaskConfig>,
  rows: ReturnType<typeof keyRows>,
  direction: Direction,
  withLengths = false,
) {
  const numbers = direction === "encrypt" ? nonces(config) : undefined,
    first = stage(packets, "forward", { name: "first" }),
    packet = first.payload,
    index = packet.arg.trunc(keyBits),
    { row, good: isLive } = rows.look(index),
    some = numbers?.some ?? constant(1, 1);
  const good = node(
    orTree([packet.arg.shr(keyBits).any(), row.user.ne(packet.user), isLive.not(), some.not()])
      .not()
      .and(fits(direction, packet, row.number)),
    { name: "good" },
  );
  const nonce = numbers ? cat(numbers.counter, turned(row.number)) : packet.header.bits(8 * nonceAt.decrypt, nonceBits);
  // What of the header is exchanged for other bytes, and what is encrypted of it.
  const exchanged = numbers
      ? from(nonce, nonceAt.encrypt)
      : from(macsOf(macRows(config).look(index)), aesDrops.decrypt),
    keeps = from(packet.header.shr(8 * bodyAt[direction]), bodyAt[direction]);
  const looking = map(
    first,
    Looked(withLengths),
    p => ({
      tag: p.tag,
      good,
      key: p.arg.trunc(keyBits),
      short: row.short,
      iv: nonce.is(nonceBits),
      header: keeps.or(exchanged).is(headerBits),
      template: row.template,
      bytes: row.bytes,
      beats: p.payloadBytes
        .zext(p.payloadBytes.width + 1)
        .add(beatBytes - 1)
        .shr(Math.log2(beatBytes))
        .trunc(8),
      tail: tailOf(p.payloadBytes),
      ...(withLengths ? lengthsOf(p, direction) : ({} as ReturnType<typeof lengthsOf>)),
    }),
    { name: "looking" },
  );
  numbers?.step(node(first.fire.and(good), { name: "number_is_taken" }));
  return { looked: stage(looking, "forward", { name: "looked" }), isFirst: first.valid };
}
