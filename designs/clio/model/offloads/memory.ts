import {
  accessBody,
  allocBody,
  allocReplyBody,
  casBody,
  faaBody,
  opcode,
  status,
  storeBody,
  vmFlag,
} from "../../wire/index.ts";
import { concat, decode, type Decoded, encode } from "../../../shared/wire/index.ts";
import { piecesOf, refusalOf, wordBytes, wordBytesOf, wordOf } from "../access.ts";
import { type AtomicKind, atomicResult } from "../atomics.ts";
import { MappedMemory, type VirtualMemory } from "../pages.ts";

/**
 * One request to virtual memory, as designs/clio/offload has it: `va`, `length` and `data` stand behind each other in
 * the request's body.
 */
export interface MemoryAccess {
  readonly opcode: number;
  readonly pid: number;
  readonly va: bigint;
  readonly length: number;
  /** Of a WRITE its bytes, of an atomic its operands, of ALLOC and FREE the rest of the body. */
  readonly data: Uint8Array;
}
/** The answer: the first 12 bytes of the reply's body as `va` and `length`, the others as `data`. */
export interface MemoryAnswer {
  readonly status: number;
  readonly va: bigint;
  readonly length: number;
  readonly data: Uint8Array;
}
/** Memory that the reference model of an offload runs on: one access after another. */
export interface OffloadMemory {
  access(access: MemoryAccess): MemoryAnswer;
}

const none = new Uint8Array();
const { READ, WRITE, DEREF_READ, DEREF_WRITE, ALLOC, FREE } = opcode;
const atomics: ReadonlyMap<number, { readonly kind: AtomicKind; readonly operandBytes: number }> = new Map([
  [opcode.ATOMIC_TAS, { kind: "tas", operandBytes: 0 }],
  [opcode.ATOMIC_CAS, { kind: "cas", operandBytes: casBody.bytes - accessBody.bytes }],
  [opcode.ATOMIC_FAA, { kind: "faa", operandBytes: faaBody.bytes - accessBody.bytes }],
  [opcode.ATOMIC_STORE, { kind: "store", operandBytes: storeBody.bytes - accessBody.bytes }],
]);

/**
 * The fault of a memory request that the node would answer with MALFORMED; undefined when there is none. @param maxData
 * of the node, bytes
 */
export function malformation(
  { opcode: code, va, length, data }: Omit<MemoryAccess, "pid">,
  maxData: number,
): string | undefined {
  const wanted = dataBytesOf(code, length);
  if (wanted === undefined) return `opcode 0x${code.toString(16)} is none that an offload may send`;
  if (data.length !== wanted)
    return `${data.length} bytes follow length = ${length}; opcode 0x${code.toString(16)} wants ${wanted}`;
  if (code === ALLOC || code === FREE) return undefined;
  const atomic = atomics.has(code);
  if (atomic ? length !== wordBytes : length < 1 || length > maxData) {
    return `length = ${length} is not ${atomic ? `the ${wordBytes} of an atomic` : `from 1 to maxData = ${maxData}`}`;
  }
  const aligned = atomic || code === DEREF_READ || code === DEREF_WRITE;
  return aligned && va % BigInt(wordBytes) !== 0n
    ? `va = 0x${va.toString(16)} is not a multiple of ${wordBytes}`
    : undefined;
}
function dataBytesOf(code: number, length: number): number | undefined {
  switch (code) {
    case READ:
    case DEREF_READ:
      return 0;
    case WRITE:
    case DEREF_WRITE:
      return length;
    case ALLOC:
    case FREE:
      return allocBody.bytes - accessBody.bytes;
    default:
      return atomics.get(code)?.operandBytes;
  }
}

/**
 * Rights on a page. `w` alone: it is being copied, so it can be read, and writes wait. `""`: it is moving, without a
 * frame (both MIGRATING). `-`: it has a frame and no right (READ_PERM, WRITE_PERM).
 */
export type Rights = "r" | "w" | "rw" | "" | "-";
export interface ModelMemoryOptions {
  /** Bytes of a page, a power of two. Default 4096. */
  readonly pageSize?: number;
  /** Pages that can have a frame at a time, and pages that ALLOC gives in all; no bound by default. */
  readonly frames?: number;
  readonly allocatable?: number;
  /** Largest `length` of a READ or WRITE, bytes. Default 1466, the node's. */
  readonly maxData?: number;
}
/** Bits of a virtual address; bytes of a region. */
const vaBits = 50,
  regionShift = 30n;
/** `ret` of ALLOC and FREE when they fail: the usual error numbers. */
const noMemory = 12,
  invalid = 22;

/**
 * Memory requests of offloads on a virtual memory: the status of every access is what the node would answer
 * (designs/clio/model/rules.md, sections 5 and 6). ALLOC and FREE are for the manager of the memory: MALFORMED here.
 */
export class OffloadAccess implements OffloadMemory {
  readonly pageSize: number;
  readonly maxData: number;
  private readonly memory: VirtualMemory;

  constructor(memory: VirtualMemory, { pageSize, maxData }: { readonly pageSize: number; readonly maxData: number }) {
    this.memory = memory;
    this.pageSize = pageSize;
    this.maxData = maxData;
  }

  /** Bytes as they stand, whatever the rights; bytes unmapped or never touched read as zero. */
  load(pid: number, va: bigint, bytes: number): Uint8Array {
    const out = new Uint8Array(bytes);
    for (const p of this.pieces(va, bytes)) out.set(this.memory.read(pid, p.vpn, p.offset, p.length), p.from);
    return out;
  }
  /**
   * Puts bytes into mapped pages, whatever the rights. @throws when a page is not mapped or gets no frame: the
   * bench is wrong
   */
  store(pid: number, va: bigint, bytes: Uint8Array): void {
    for (const p of this.pieces(va, bytes.length)) {
      const page = this.memory.page(pid, p.vpn);
      if (page?.valid !== true && !this.memory.fault(pid, p.vpn)) {
        throw new RangeError(
          `page 0x${p.vpn.toString(16)} of process ${pid} is not mapped or has no frame; map it first`,
        );
      }
      this.memory.write(pid, p.vpn, p.offset, bytes.subarray(p.from, p.from + p.length));
    }
  }
  loadWord(pid: number, va: bigint): bigint {
    return wordOf(this.load(pid, va, wordBytes));
  }
  storeWord(pid: number, va: bigint, value: bigint): void {
    this.store(pid, va, wordBytesOf(value));
  }
  access(a: MemoryAccess): MemoryAnswer {
    if (malformation(a, this.maxData) !== undefined) return { status: status.MALFORMED, va: 0n, length: 0, data: none };
    switch (a.opcode) {
      case READ:
      case WRITE:
        return this.move(a, a.va);
      case DEREF_READ:
      case DEREF_WRITE: {
        const failed = this.check(a.pid, a.va, wordBytes, ["read"]);
        return failed === undefined ? this.move(a, this.loadWord(a.pid, a.va)) : refused(failed, a.va);
      }
      case ALLOC:
      case FREE:
        return this.manage(a);
      default:
        return this.atomic(a);
    }
  }

  private move({ opcode: code, pid, length, data }: MemoryAccess, va: bigint): MemoryAnswer {
    const writes = code === WRITE || code === DEREF_WRITE,
      failed = this.check(pid, va, length, [writes ? "write" : "read"]);
    if (failed !== undefined) return refused(failed, va);
    if (writes) this.store(pid, va, data);
    return { status: status.OK, va, length, data: writes ? none : this.load(pid, va, length) };
  }

  private atomic({ opcode: code, pid, va, length, data }: MemoryAccess): MemoryAnswer {
    const failed = this.check(pid, va, wordBytes, ["write", "read"]),
      kind = atomics.get(code)?.kind;
    if (failed !== undefined || kind === undefined) return refused(failed ?? status.MALFORMED, va);
    const operandAt = (i: number): bigint => (data.length >= i + wordBytes ? wordOf(data.subarray(i)) : 0n);
    const old = this.loadWord(pid, va),
      written = atomicResult({ kind, operand: operandAt(0), swap: operandAt(wordBytes) }, old);
    if (written !== undefined) this.storeWord(pid, va, written);
    return { status: status.OK, va, length, data: kind === "store" ? none : wordBytesOf(old) };
  }

  /** The first reason why an access fails, pages in address order. */
  private check(pid: number, va: bigint, bytes: number, rights: readonly ("read" | "write")[]): number | undefined {
    for (const { vpn } of this.pieces(va, bytes)) {
      const page = vpn * BigInt(this.pageSize) < 1n << BigInt(vaBits) ? this.memory.page(pid, vpn) : undefined;
      if (!page) return status.INVALID;
      const refusal = refusalOf(page, rights);
      if (refusal !== undefined) return status[refusal];
      if (!page.valid && !this.memory.fault(pid, vpn)) return status.OUT_OF_MEMORY;
    }
    return undefined;
  }

  /** ALLOC and FREE. */
  protected manage(_access: MemoryAccess): MemoryAnswer {
    return { status: status.MALFORMED, va: 0n, length: 0, data: none };
  }

  protected pieces(va: bigint, bytes: number): ReturnType<typeof piecesOf> {
    return piecesOf({ pageSize: this.pageSize, pageShift: Math.log2(this.pageSize) }, va, bytes);
  }
}

/**
 * Byte-accurate virtual memory of several processes: pages with rights, which have zeroed frames from their first use
 * on; ALLOC and FREE.
 */
export class ModelMemory extends OffloadAccess {
  private readonly mapped: MappedMemory;
  private allocatable: number;
  private readonly pages = new Map<number, Set<bigint>>();

  constructor({
    pageSize = 4096,
    frames,
    allocatable = Number.POSITIVE_INFINITY,
    maxData = 1466,
  }: ModelMemoryOptions = {}) {
    const mapped = new MappedMemory(frames);
    super(mapped, { pageSize, maxData });
    this.mapped = mapped;
    this.allocatable = allocatable;
  }

  /**
   * Allocates the pages of `bytes` bytes from `va`; those that are there change their rights and lose their content.
   */
  map(pid: number, va: bigint, bytes: number, rights: Rights = "rw"): void {
    const own = this.pages.get(pid) ?? new Set<bigint>();
    this.pages.set(pid, own);
    for (const { vpn } of this.pieces(va, bytes)) {
      this.mapped.unmap(pid, vpn);
      this.mapped.map(pid, vpn, { read: rights.includes("r"), write: rights.includes("w") });
      if (rights === "-") this.mapped.fault(pid, vpn);
      own.add(vpn);
    }
  }
  /** Takes pages away. */
  unmap(pid: number, va: bigint, bytes: number): void {
    for (const { vpn } of this.pieces(va, bytes)) {
      this.mapped.unmap(pid, vpn);
      this.pages.get(pid)?.delete(vpn);
    }
  }
  /** Addresses of a process's pages, lowest first. */
  pagesOf(pid: number): bigint[] {
    return [...(this.pages.get(pid) ?? [])].sort((a, b) => (a < b ? -1 : 1)).map(vpn => vpn * BigInt(this.pageSize));
  }

  protected override manage({ opcode: code, pid, va, length, data }: MemoryAccess): MemoryAnswer {
    const body = decode(allocBody, concat(encode(accessBody, { va, length }), data));
    const { ret, addr } = code === ALLOC ? this.allocate(pid, body) : this.free(pid, body);
    const out = encode(allocReplyBody, { ret, addr, vregion: Number(body.vregion & 0xffff_ffffn) });
    const outcome = ret === 0 ? status.OK : ret === noMemory ? status.OUT_OF_MEMORY : status.FAIL;
    return { status: outcome, ...decode(accessBody, out), data: out.slice(accessBody.bytes) };
  }

  /** At the requested address when its pages are free, else at the lowest of the region that fits (never 0). */
  private allocate(
    pid: number,
    { addr, len, vregion, vmFlags }: Decoded<typeof allocBody>,
  ): { readonly ret: number; readonly addr: bigint } {
    if (len === 0n || len > 1n << regionShift) return { ret: invalid, addr: 0n };
    const bytes = Number(len),
      found = addr !== 0n && this.isFree(pid, addr, bytes) ? addr : this.lowestFree(pid, vregion, bytes);
    const pages = found === undefined ? [] : this.pieces(found, bytes);
    if (found === undefined || pages.length > this.allocatable) return { ret: noMemory, addr: 0n };
    this.map(pid, found, bytes, (vmFlags & vmFlag.write) === 0n ? "r" : "rw");
    this.allocatable -= pages.length;
    if ((vmFlags & vmFlag.populate) !== 0n) for (const { vpn } of pages) this.mapped.fault(pid, vpn);
    return { ret: 0, addr: found };
  }
  private free(pid: number, { addr, len }: Decoded<typeof allocBody>): { readonly ret: number; readonly addr: bigint } {
    const pages = len === 0n || len > 1n << regionShift ? [] : this.pieces(addr, Number(len)),
      own = this.pages.get(pid);
    if (pages.length === 0 || pages.some(p => own?.has(p.vpn) !== true)) return { ret: invalid, addr };
    this.unmap(pid, addr, Number(len));
    this.allocatable += pages.length;
    return { ret: 0, addr };
  }
  private isFree(pid: number, va: bigint, bytes: number): boolean {
    const own = this.pages.get(pid);
    return own === undefined || this.pieces(va, bytes).every(p => !own.has(p.vpn));
  }
  private lowestFree(pid: number, vregion: bigint, bytes: number): bigint | undefined {
    const size = BigInt(this.pageSize),
      end = (vregion + 1n) << regionShift;
    for (let va = vregion === 0n ? size : vregion << regionShift; va + BigInt(bytes) <= end; va += size)
      if (this.isFree(pid, va, bytes)) return va;
    return undefined;
  }
}

const refused = (code: number, va: bigint): MemoryAnswer => ({ status: code, va, length: 0, data: none });
