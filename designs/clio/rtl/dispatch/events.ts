import { bit, byName, struct, uint, vec } from "../../../../hdl-dsl/index.ts";
import { type CounterName, counterNames } from "../../config/index.ts";
import { lengthBits } from "../../../shared/frame/index.ts";

/**
 * Width of a counter's increment in a cycle. Byte counts grow by up to a frame, the others by up to 3: several blocks
 * can report at once.
 */
const incrementBits = (name: CounterName): number => (name === "readBytes" || name === "writeBytes" ? lengthBits : 2);

/** Increment of every counter in this cycle. Blocks report their own part; the top adds them up. */
export const Events = struct(byName(counterNames, n => uint(incrementBits(n))));

/** Bits of the time since an offload's last reply, in units of `sinceUnit` cycles. */
export const sinceBits = 24,
  sinceUnit = 65_536;
/**
 * An order of software about a process, in the cycle of `write`: it exists, or does not; what offloads keep for it is
 * to be removed (`forget`); the end of such a removal has been seen (`seen`).
 */
export const ProcessOrder = struct({ write: bit, pid: uint(16), exists: bit, forget: bit, seen: bit });
/**
 * State of the processes: an order is being carried out (`busy`); the last order's process has had a request to an
 * offload that keeps what it is given (`used`); a removal is under way, or over and not yet `seen`; that one failed.
 */
export const ProcessState = struct({ busy: bit, used: bit, forgetting: bit, forgotten: bit, failed: bit });
/**
 * Software's controls of the offloads; bit k belongs to slot k. Fields: the slots kept in reset, and the number of
 * cycles without progress after which a slot counts as stuck. `limit`: so many units of 65,536 cycles without a reply,
 * although it has a request, count as well; 0: none do. `secret`: the key of the offloads' hashes.
 */
export const OffloadControl = struct({
  hold: uint(4),
  patience: uint(24),
  limit: uint(sinceBits),
  secret: uint(64),
  process: ProcessOrder,
});
/**
 * State of the offload slots: those held in reset with nothing under way any more, those that are stuck, and those that
 * have a request. `since`: of each, the units of 65,536 cycles for which it has had a request and given no reply.
 */
export const OffloadState = struct({
  held: uint(4),
  stuck: uint(4),
  active: uint(4),
  since: vec(uint(sinceBits), 4),
  processes: ProcessState,
});
/**
 * Events of the offloads in this cycle, for the counters: requests and memory requests by slot, requests answered
 * BUSY, repetitions answered.
 */
export const OffloadEvents = struct({ requests: uint(4), accesses: uint(4), busy: bit, repeated: bit });
