import { describe, expect, test } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import {
  MappedMemory,
  type MemoryAccess,
  type MemoryAnswer,
  ModelMemory,
  OffloadAccess,
  ReferenceNode,
} from "../../../../../designs/clio/model/index.ts";
import { clientEndpoint, FrameClient } from "../../../../../designs/clio/workload/index.ts";
import {
  accessBody,
  allocBody,
  allocReplyBody,
  dissect,
  frameOffsets,
  opcode,
  status,
  vmFlag,
} from "../../../../../designs/clio/wire/index.ts";
import { concat, decode, encode } from "../../../../../designs/shared/wire/index.ts";
import { Random } from "../../../../../sim/index.ts";

const pageSize = 4096,
  none = new Uint8Array();
/** Bytes that follow va and length. */
const operandBytes = new Map([
  [opcode.ATOMIC_CAS, 16],
  [opcode.ATOMIC_FAA, 8],
  [opcode.ATOMIC_STORE, 8],
]);

/** The reply's body. */
const bodyOf = ({ va, length, data }: MemoryAnswer): Uint8Array => concat(encode(accessBody, { va, length }), data);

describe("OffloadAccess", () => {
  test("answers every access as the reference node answers its frame", () => {
    const r = new Random(3),
      { config, runtime } = makeSettings({ pageSize }),
      client = new FrameClient(clientEndpoint(0), runtime);
    const spaces = [new MappedMemory(5), new MappedMemory(5)] as const;
    for (const m of spaces) {
      for (const pid of [1, 2]) {
        for (const [vpn, read, write] of [
          [1n, true, true],
          [2n, true, true],
          [3n, true, false],
          [4n, false, true],
          [5n, false, false],
          [(1n << 38n) - 1n, true, true],
        ] as const)
          m.map(pid, vpn, { read, write });
      }
    }
    const node = new ReferenceNode(config, runtime, spaces[0]),
      own = new OffloadAccess(spaces[1], { pageSize, maxData: config.maxData });
    const seen = new Set<number>();
    for (let i = 0; i < 2500; i++) {
      const code = r.pick([
        opcode.READ,
        opcode.WRITE,
        opcode.ATOMIC_TAS,
        opcode.ATOMIC_CAS,
        opcode.ATOMIC_FAA,
        opcode.ATOMIC_STORE,
        opcode.DEREF_READ,
        opcode.DEREF_WRITE,
      ]);
      const atomic = code === opcode.ATOMIC_TAS || operandBytes.has(code),
        writes = code === opcode.WRITE || code === opcode.DEREF_WRITE;
      const length =
          atomic && r.chance(0.95)
            ? 8
            : r.pick([8, r.between(1, 40), r.between(1, config.maxData), 0, config.maxData + Number(!writes)]),
        page = r.pick([0n, 1n, 1n, 1n, 2n, 3n, 4n, 5n, (1n << 38n) - 1n, 1n << 38n, (1n << 52n) - 1n]);
      const offset = r.pick([0, 8, 8 * r.between(0, 511), r.between(0, 4095)]),
        va = page * BigInt(pageSize) + BigInt(offset);
      // Words that are pointers now and then.
      const data = writes
        ? length === 8 && r.chance(0.7)
          ? encode(accessBody, { va: BigInt(r.between(1, 4)) * 4096n + BigInt(8 * r.between(0, 511)) }).slice(0, 8)
          : r.bytes(length)
        : r.bytes(operandBytes.get(code) ?? 0);
      const access: MemoryAccess = { opcode: code, pid: r.pick([1, 2, 3]), va, length, data },
        out = node.receive(client.request(code, access.pid, encode(accessBody, { va, length }), data));
      if (out.kind !== "reply") throw new Error(`no reply to ${JSON.stringify(out)}`);
      const clio = dissect(out.frame).clio,
        body = out.frame.slice(frameOffsets.body, frameOffsets.clio + (clio?.size ?? 0)),
        answer = own.access(access);
      seen.add(answer.status);
      expect([answer.status, answer.status === status.MALFORMED ? none : bodyOf(answer)], `access ${i}`).toEqual([
        clio?.status,
        body,
      ]);
    }
    // A page without the right to be read has no frame here: it says MIGRATING, not READ_PERM.
    expect([...seen].sort((a, b) => a - b)).toEqual([
      status.OK,
      status.INVALID,
      status.WRITE_PERM,
      status.OUT_OF_MEMORY,
      status.MALFORMED,
      status.MIGRATING,
    ]);
  });
});

describe("ModelMemory", () => {
  const manage = (
    memory: ModelMemory,
    code: number,
    body: { addr?: bigint; len: bigint; vregion?: bigint; vmFlags?: bigint },
  ) => {
    const bytes = encode(allocBody, body),
      answer = memory.access({
        opcode: code,
        pid: 9,
        ...decode(accessBody, bytes),
        data: bytes.slice(accessBody.bytes),
      });
    return { status: answer.status, ...decode(allocReplyBody, bodyOf(answer)) };
  };
  test("ALLOC gives the lowest pages that fit, or those asked for; FREE takes them back", () => {
    const m = new ModelMemory({ allocatable: 6 });
    expect(manage(m, opcode.ALLOC, { len: 5000n, vmFlags: vmFlag.write })).toMatchObject({
      status: status.OK,
      ret: 0,
      addr: 0x1000n,
    });
    expect(manage(m, opcode.ALLOC, { len: 1n })).toMatchObject({ status: status.OK, addr: 0x3000n });
    expect(manage(m, opcode.ALLOC, { addr: 0x8000n, len: 4096n, vmFlags: vmFlag.write })).toMatchObject({
      addr: 0x8000n,
    });
    expect(manage(m, opcode.ALLOC, { addr: 0x8000n, len: 4096n, vregion: 1n, vmFlags: vmFlag.write })).toMatchObject({
      addr: 1n << 30n,
      vregion: 1,
    });
    expect(m.pagesOf(9)).toEqual([0x1000n, 0x2000n, 0x3000n, 0x8000n, 1n << 30n]);
    expect(manage(m, opcode.ALLOC, { len: 8192n })).toMatchObject({ status: status.OUT_OF_MEMORY, ret: 12 });
    const write = (va: bigint): number =>
      m.access({ opcode: opcode.WRITE, pid: 9, va, length: 1, data: Uint8Array.of(7) }).status;
    expect([0x2fffn, 0x3000n, 0x4000n].map(write)).toEqual([status.OK, status.WRITE_PERM, status.INVALID]);
    expect(manage(m, opcode.FREE, { addr: 0x1000n, len: 8192n })).toMatchObject({ status: status.OK, addr: 0x1000n });
    expect(manage(m, opcode.FREE, { addr: 0x1000n, len: 1n })).toMatchObject({ status: status.FAIL, ret: 22 });
    expect(manage(m, opcode.ALLOC, { len: 8192n })).toMatchObject({ status: status.OK, addr: 0x1000n });
    expect(m.load(9, 0x2fffn, 1)).toEqual(Uint8Array.of(0));
  });
});
