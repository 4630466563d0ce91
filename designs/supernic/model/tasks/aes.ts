/** Models of encryption and decryption, by Node's AES: docs/supernic/payload.md. */
import { createCipheriv } from "node:crypto";
import {
  aesCounterBits,
  aesDrops,
  aesFrom,
  aesFrontBytes,
  aesKeys,
  aesNonceBytes,
  aesParts,
  aesPlace,
  aesRow,
  tunnelPort,
} from "../../wire/index.ts";
import { hasIp, wordOf } from "./ip.ts";
import { type TaskAnswerModel, type TaskModel, type TaskPacketModel, writesAt } from "./task.ts";

const etherTypeIpv4 = 0x0800,
  protocolUdp = 17,
  drop: TaskAnswerModel = { verdict: "drop" };
const cut = (data: bigint, at: number, bits: number): number =>
  Number((data >> BigInt(at)) & ((1n << BigInt(bits)) - 1n));
const bytesOf = (value: bigint, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * (count - 1 - i))) & 255n));

/** Rows as their words make them. */
function keyTable() {
  const words = new Map<number, bigint>();
  return {
    configure: (at: number, data: bigint): void => void words.set(at, data),
    row: (index: number) => {
      const word = (part: number): bigint => words.get((index << aesPlace.row) | part) ?? 0n,
        row = word(aesParts.row),
        key = [0, 1, 2, 3].flatMap(i => bytesOf(word(aesParts.key + i), 8).toReversed());
      const short = cut(row, aesRow.short, 1) === 1;
      return {
        valid: cut(row, aesRow.valid, 1) === 1,
        user: cut(row, aesRow.user, 6),
        number: cut(row, aesRow.number, 32),
        template: cut(row, aesRow.template, 8),
        frontBytes: cut(row, aesRow.bytes, 7),
        key: Uint8Array.from(short ? key.slice(0, 16) : key),
        macs: [...bytesOf(word(aesParts.destination), 6), ...bytesOf(word(aesParts.source), 6)],
      };
    },
  };
}
/** The bytes, exchanged with key stream: of a frame that has them from byte 14 on, its first block counting from 0. */
function exchanged(key: Uint8Array, nonce: Uint8Array, bytes: Uint8Array): Uint8Array {
  const start = new Uint8Array(16);
  start.set(nonce);
  const cipher = createCipheriv(key.length === 16 ? "aes-128-ctr" : "aes-256-ctr", key, start),
    frame = new Uint8Array(aesFrom + bytes.length);
  frame.set(bytes, aesFrom);
  return Uint8Array.from(cipher.update(frame)).slice(aesFrom);
}
/** Header from byte `from` on and payload, exchanged as one. */
function through(p: TaskPacketModel, from: number, key: Uint8Array, nonce: Uint8Array) {
  const inHeader = 64 - from,
    payload = p.payload ?? new Uint8Array(),
    all = new Uint8Array(inHeader + payload.length);
  all.set(p.header.slice(from));
  all.set(payload, inHeader);
  const out = exchanged(key, nonce, all);
  return { header: [...out.slice(0, inHeader)], payload: out.slice(inHeader) };
}

/** Numbers of packets: from 0 of each launch on, and none before the first launch or behind the last number. */
function numbers() {
  let launch: { readonly word: bigint; number: bigint } | undefined,
    before = 0n;
  return {
    configure: (at: number, data: bigint): void => {
      const asked = data & ((1n << BigInt(aesCounterBits.launch)) - 1n);
      if (at !== aesPlace.launch || asked <= before) return;
      before = asked;
      launch = { word: data & ((1n << BigInt(aesCounterBits.snic + aesCounterBits.launch)) - 1n), number: 0n };
    },
    any: (): boolean => launch !== undefined,
    next: (): bigint => {
      if (launch === undefined) throw new RangeError("there is no launch");
      const counter = (launch.word << BigInt(aesCounterBits.number)) | launch.number;
      launch.number++;
      if (launch.number >> BigInt(aesCounterBits.number) !== 0n) launch = undefined;
      return counter;
    },
  };
}

type Row = ReturnType<ReturnType<typeof keyTable>["row"]>;
/** A cipher with what of a packet it makes other bytes of: the key's row, the nonce. */
export type Cipher = (
  p: TaskPacketModel,
  from: number,
  row: Row,
  nonce: Uint8Array,
) => Pick<TaskAnswerModel, "payload" | "trailer"> & { readonly header: readonly number[] };
const counterMode: Cipher = (p, from, { key }, nonce) => through(p, from, key, nonce);

/**
 * Into a tunnel. Each packet gets the next number, from 0 of each launch on. @param seen the counter of a packet as it
 * was seen, where it is not known which packets have taken one
 */
export function intoTunnel(cipher: Cipher, seen?: () => bigint): TaskModel {
  const table = keyTable(),
    launched = numbers();
  return {
    configure: (at, data) => {
      table.configure(at, data);
      launched.configure(at, data);
    },
    answer: p => {
      const row = table.row(p.arg % aesKeys);
      const isOurs = p.arg < aesKeys && row.valid && row.user === p.user;
      if (!isOurs || !launched.any() || wordOf(p.header, 12) !== etherTypeIpv4) return drop;
      const nonce = Uint8Array.from([...bytesOf(BigInt(row.number), 4), ...bytesOf(seen?.() ?? launched.next(), 8)]);
      const { header, ...rest } = cipher(p, aesFrom, row, nonce);
      return {
        ...rest,
        verdict: "forward",
        writes: new Map(writesAt(aesDrops.encrypt, [...nonce, ...header])),
        dropFront: aesDrops.encrypt,
        prepend: row.template,
        frontBytes: row.frontBytes,
      };
    },
  };
}
/** Out of it. @param cipher gives nothing for a packet that is not as it was sent */
export function outOfTunnel(cipher: (...given: Parameters<Cipher>) => ReturnType<Cipher> | undefined): TaskModel {
  const table = keyTable();
  return {
    configure: table.configure,
    answer: p => {
      const row = table.row(p.arg % aesKeys),
        isOurs = p.arg < aesKeys && row.valid && row.user === p.user;
      const isTunnel = hasIp(p) && !p.noL4 && p.header[23] === protocolUdp && wordOf(p.header, 36) === tunnelPort;
      const nonce = p.header.slice(aesFrontBytes, aesFrontBytes + aesNonceBytes),
        isNamed = Buffer.from(nonce).readUInt32BE(0) === row.number;
      if (!isOurs || !isTunnel || !isNamed || p.headBytes !== 64) return drop;
      const opened = cipher(p, aesFrontBytes + aesNonceBytes, row, nonce);
      if (opened === undefined) return drop;
      const { header, ...rest } = opened;
      return {
        ...rest,
        verdict: "forward",
        writes: new Map(writesAt(aesDrops.decrypt, [...row.macs, 0x08, 0x00, ...header])),
        dropFront: aesDrops.decrypt,
      };
    },
  };
}
export const encryptModel = (): TaskModel => intoTunnel(counterMode);
export const decryptModel = (): TaskModel => outOfTunnel(counterMode);
