/**
 * The KV cache beside a whole device: what it may answer to each packet. What it keeps depends on time, room and the
 * order of packets of several ports, so a read that could hit may go on as well. Of a hit all bytes must be right, and
 * its value may not be older than a write that has been answered.
 */
import { kvKept, kvNodePort, kvOpcode, kvOthers, kvPlaces, kvReply, kvRow, kvSettled } from "../../wire/index.ts";
import { askerOf, kvAt, kvHeaders, le, type Parts, partsOf, replyTo } from "./kv-parts.ts";
import { passOn, type TaskAnswerModel, type TaskPacketModel } from "./task.ts";

/** What is known of a key. */
interface Key {
  /** Values that a hit may have, as text; `stale`: until a write is answered that passed behind them. */
  readonly may: Map<string, { readonly value: Uint8Array; stale: boolean }>;
  /** Who waits for a write, and how many there were. */
  readonly writers: Set<bigint>;
  writes: number;
}
const writeCodes: readonly number[] = [kvOpcode.create, kvOpcode.update, kvOpcode.delete];

export class KvJudge {
  #row = 0n;
  readonly #keys = new Map<bigint, Key>();
  readonly #reads = new Map<bigint, { readonly key: bigint; readonly writes: number }>();
  readonly #writes = new Map<bigint, bigint>();

  configure(at: number, data: bigint): void {
    if (at === kvPlaces.node) this.#row = data;
    this.#keys.clear();
  }
  #field(at: number, bits: number): number {
    return Number((this.#row >> BigInt(at)) & ((1n << BigInt(bits)) - 1n));
  }
  #of(key: bigint): Key {
    const known = this.#keys.get(key) ?? { may: new Map(), writers: new Set<bigint>(), writes: 0 };
    this.#keys.set(key, known);
    return known;
  }
  /** All that it may answer, the first of which is that the packet goes on. */
  options({ header, headBytes, payload, user, ingress }: TaskPacketModel): readonly TaskAnswerModel[] {
    const bytes = Uint8Array.from([...header.slice(0, headBytes), ...(payload ?? [])]),
      p = partsOf(bytes),
      node = this.#field(kvRow.ip, 32);
    if (this.#field(kvRow.valid, 1) === 0 || user !== this.#field(kvRow.user, 6) || !p.isUdp) return [passOn];
    if (p.dst === node) return this.#request(p, bytes, ingress);
    if (p.src === node && p.srcPort === kvNodePort && ingress === this.#field(kvRow.port, 4)) this.#reply(p, bytes);
    return [passOn];
  }
  #request(p: Parts, bytes: Uint8Array, ingress: number): readonly TaskAnswerModel[] {
    const isWrite = writeCodes.includes(p.opcode),
      hasKey = p.whole && p.payload >= 6,
      key = p.pid | (le(bytes, kvAt.key, 8) << 16n),
      asker = askerOf(p, kvAt.src, kvAt.srcPort);
    if (p.dstPort !== kvNodePort || (p.opcode >= kvOthers.first && p.opcode <= kvOthers.last) || (isWrite && !hasKey)) {
      this.#keys.clear();
      return [passOn];
    }
    if (isWrite) {
      const known = this.#of(key);
      known.writes++;
      known.writers.add(asker);
      this.#writes.set(asker, key);
      for (const m of known.may.values()) m.stale = true;
      return [passOn];
    }
    const fits =
      p.total === kvHeaders.ip + kvHeaders.udp + kvHeaders.clio + kvHeaders.kv &&
      p.size === kvHeaders.clio + kvHeaders.kv &&
      p.keySize === 8 &&
      p.payload === 6;
    if (p.opcode !== kvOpcode.read || !fits) return [passOn];
    const known = this.#of(key);
    if (p.tracked) this.#reads.set(asker, { key, writes: known.writes });
    const hits = [...known.may.values()].map(({ value }): TaskAnswerModel => ({
      verdict: "drop",
      made: [{ port: ingress, bytes: replyTo(p.header, value) }],
    }));
    return [passOn, ...hits];
  }
  #reply(p: Parts, bytes: Uint8Array): void {
    const asker = askerOf(p, kvAt.dst, kvAt.dstPort),
      read = this.#reads.get(asker),
      written = this.#writes.get(asker);
    if (p.opcode === kvReply(kvOpcode.read) && read !== undefined) {
      const known = this.#of(read.key),
        isLate = known.writers.size > 0;
      if (p.status !== 0 || p.valueSize < kvKept.least || (known.writes !== read.writes && !isLate)) return;
      const value = bytes.slice(kvAt.key);
      // What the node has said is what it has; beside a write it may be what it had.
      if (!isLate) known.may.clear();
      known.may.set(Buffer.from(value).toString("latin1"), { value, stale: isLate });
    } else if (written !== undefined && writeCodes.some(c => p.opcode === kvReply(c))) {
      if (p.status !== kvSettled.ok && p.status !== kvSettled.fail) return;
      const known = this.#of(written);
      known.writers.delete(asker);
      for (const [text, m] of known.may) if (m.stale) known.may.delete(text);
    }
  }
}
