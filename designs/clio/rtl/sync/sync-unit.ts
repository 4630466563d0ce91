import { module } from "../../../../hdl-dsl/index.ts";
import { endOperations } from "./sync-unit/end.ts";
import { build, syncPorts } from "./sync-unit/ports.ts";
import { readWords } from "./sync-unit/read.ts";
import { workOnWords, writeWords } from "./sync-unit/work.ts";

/**
 * Atomics and pointer fetches on aligned 8-byte words (paper §4.4.5, T3): TAS, CAS, FAA, STORE, and the first half of
 * DEREF_READ and DEREF_WRITE.
 *
 * Operations on different words overlap, `lanes` of them at a time. Operations on one word are done strictly one
 * after another, in the order of arrival. The next one begins when the one before has fired at `reply` or `access`.
 * An operation that must wait stalls those behind it. A word is read with its whole beat and written alone, by
 * strobes. STORE reads nothing; a TAS or CAS whose comparison fails writes nothing. The memory's error at either
 * access ends an operation with FAIL; nothing is written after a read that failed. The pointer of a DEREF goes out as
 * an access to its target.
 *
 * The operands of the slot at `operand_slot` are read in the same cycle, once per operation, before its `reply`. The
 * operands stay as long as the slot is taken.
 *
 * Latency from `request` to `reply`, L the memory's: 2 L + 5 cycles for an operation that reads and writes. L + 5 for
 * STORE, for a TAS or CAS that writes nothing, and for DEREF to `access`. Initiation interval: 1 cycle while lanes are
 * left; on one word the latency. So `lanes` operations every 2 L + 5 cycles. Full (all lanes taken): `request` waits.
 * `r` stalls for at most 1 cycle (for a STORE), `b` for at most 1 more each time another operation ends. Both hold
 * whatever `reply` and `access` do: there is room for every operation in flight. Reset: all operations are dropped; the
 * memory must not answer accesses from before it.
 */
export const SyncUnit = module(
  "SyncUnit",
  syncPorts,
  (io, p) => {
    const parts = build(io, p);
    const reading = readWords(parts),
      working = workOnWords(parts, reading),
      writing = writeWords(parts, working);
    endOperations(parts, reading, working, writing);
  },
  { nameOf: p => `SyncUnit_l${p.lanes}_n${p.slots}_b${p.beatBytes}_a${p.addressBits}_i${p.idBits}_${p.id}` },
);
