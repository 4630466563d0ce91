/** A node's memory that refuses some accesses, by their number: two of them refuse the same. */
import { type MemoryAccess, type MemoryAnswer, ModelMemory } from "../../clio/model/index.ts";
import { status } from "../../clio/wire/index.ts";
import { offloadPid } from "../../clio/offload/index.ts";
import { logBytes } from "../wire/index.ts";

export class FallibleMemory extends ModelMemory {
  /** Accesses that have been done. */
  accesses = 0;
  /** Whether access number `n` is refused, and which. */
  refuses: (n: number, a: MemoryAccess) => boolean = () => false;

  /** With a log for the engine, and pages of processes. @param homes [process, first address, bytes] */
  constructor(base: bigint, homes: readonly (readonly [number, bigint, number])[]) {
    super();
    this.map(offloadPid(0), base, logBytes);
    for (const [pid, va, bytes] of homes) this.map(pid, va, bytes);
  }
  override access(a: MemoryAccess): MemoryAnswer {
    if (!this.refuses(this.accesses++, a)) return super.access(a);
    return { status: status.FAIL, va: a.va, length: 0, data: new Uint8Array() };
  }
}
