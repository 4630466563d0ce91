import { accessBody, casBody, faaBody, opcode, storeBody } from "../wire/index.ts";
import { concat, encode } from "../../shared/wire/index.ts";
import type { FrameClient } from "./client.ts";
import type { Random } from "../../../hdl-dsl/index.ts";

/** Memory of a process for atomics and pointers: a page of words and pointers, and what the pointers may lead to. */
export interface StatePage {
  readonly pid: number;
  readonly start: bigint;
}

/**
 * Where in a state page things are, bytes. The first eight words share a beat of 64 bytes, the others have one each.
 */
const sharedWords = 8,
  spreadWords = 8,
  beat = 64,
  pointersAt = 2048,
  pointers = 48;
const words = sharedWords + spreadWords;
const wordOffset = (i: number): number => (i < sharedWords ? 8 * i : beat * (i - sharedWords + 1) + 8 * (i % 8));
/** Small operands, so that CAS and TAS often find what they look for. */
const values = [0n, 1n, 2n, 3n, 0xffff_ffff_ffff_ffffn];
/** Requests that a client may repeat later. */
const remembered = 64;

/**
 * Random atomics on few words, accesses through pointers, fences, and repetitions of earlier requests (sections 6 and 7
 * of ../model/rules.md). The words and pointers stand in pages of their own, which no other request touches.
 */
export class StateOperations {
  private readonly random: Random;
  private readonly pages: readonly StatePage[];
  private readonly maxData: number;
  private readonly sent = new Map<FrameClient, Uint8Array[]>();

  constructor(random: Random, pages: readonly StatePage[], maxData: number) {
    this.random = random;
    this.pages = pages;
    this.maxData = maxData;
  }

  /**
   * Requests that lay the pointers down, and touch every word once, so that it is known as one that atomics work on.
   * @param place where a pointer leads to
   */
  setup(client: FrameClient, place: (pid: number) => bigint): Uint8Array[] {
    return this.pages.flatMap(({ pid, start }) => {
      const bytes = new Uint8Array(pointers * 8),
        view = new DataView(bytes.buffer);
      for (let i = 0; i < pointers; i++) view.setBigUint64(8 * i, place(pid), true);
      const touch = Array.from({ length: words }, (_, i) =>
        client.request(
          opcode.ATOMIC_FAA,
          pid,
          encode(faaBody, { va: start + BigInt(wordOffset(i)), length: 8, addend: 0n }),
        ),
      );
      return [client.write(pid, start + BigInt(pointersAt), bytes), ...touch];
    });
  }

  next(client: FrameClient): Uint8Array {
    const r = this.random;
    switch (r.below(16)) {
      case 0:
        return client.request(opcode.FENCE, 0);
      case 1:
      case 2:
        return this.repeat(client) ?? client.request(opcode.FENCE, 0);
      case 3:
      case 4:
      case 5:
        return this.dereference(client);
      default:
        return this.atomic(client);
    }
  }

  /** Keep a request to be repeated later, perhaps. */
  note(client: FrameClient, frame: Uint8Array): Uint8Array {
    const list = this.sent.get(client) ?? [];
    this.sent.set(client, list);
    list.push(frame);
    // The first of the list is kept for long: it will have been forgotten by the node when it is repeated.
    if (list.length > remembered) list.splice(this.random.chance(0.001) ? 0 : 1, 1);
    return frame;
  }

  private repeat(client: FrameClient): Uint8Array | undefined {
    const list = this.sent.get(client) ?? [];
    if (list.length === 0) return undefined;
    // Mostly what has just been sent: it may be under way still.
    if (this.random.chance(0.1)) return client.repeat(list[0] as Uint8Array);
    const back = this.random.chance(0.6) ? this.random.below(Math.min(4, list.length)) : this.random.below(list.length);
    return client.repeat(list[list.length - 1 - back] as Uint8Array);
  }

  private atomic(client: FrameClient): Uint8Array {
    const r = this.random,
      { pid, start } = r.pick(this.pages),
      at = start + BigInt(wordOffset(r.below(words))),
      access = { va: r.chance(0.02) ? at + 4n : at, length: r.chance(0.02) ? 4 : 8 };
    const pick = (): bigint => (r.chance(0.8) ? r.pick(values) : BigInt(r.below(2 ** 32)) << 31n);
    switch (r.below(6)) {
      case 0:
        return this.note(client, client.request(opcode.ATOMIC_TAS, pid, encode(accessBody, access)));
      case 1:
      case 2:
        return this.note(
          client,
          client.request(opcode.ATOMIC_CAS, pid, encode(casBody, { ...access, compare: pick(), swap: pick() })),
        );
      case 3:
        return this.note(
          client,
          client.request(opcode.ATOMIC_FAA, pid, encode(faaBody, { ...access, addend: pick() })),
        );
      case 4:
        return this.note(
          client,
          client.request(opcode.ATOMIC_STORE, pid, encode(storeBody, { ...access, value: pick() })),
        );
      default:
        return client.read(pid, at, 8);
    }
  }

  private dereference(client: FrameClient): Uint8Array {
    const r = this.random,
      { pid, start } = r.pick(this.pages),
      va = start + BigInt(pointersAt + 8 * r.below(pointers)) + (r.chance(0.02) ? 1n : 0n);
    const length = r.chance(0.3) ? r.between(1, this.maxData) : r.between(1, 100),
      body = encode(accessBody, { va, length });
    return r.chance(0.5)
      ? client.request(opcode.DEREF_READ, pid, body)
      : this.note(client, client.request(opcode.DEREF_WRITE, pid, concat(body, r.bytes(length))));
  }
}
