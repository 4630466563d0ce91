import { connect, Fifo, instance, module, node, orTree, reg, stage, stream } from "../../../../hdl-dsl/index.ts";
import { Release } from "../../../shared/frame/index.ts";
import { Reply, SlowFrame } from "../records/records.ts";
import { actionOf, actionTable } from "./mat/actions.ts";
import { count } from "./mat/count.ts";
import { factsOf } from "./mat/facts.ts";
import { accessOf, outcomeOf, replyOf } from "./mat/outcome.ts";
import { matPorts } from "./mat/ports.ts";
import { Known, MatEvents, type MatParameters, slowLimit } from "./mat/records.ts";
import { slowRoom } from "./mat/slow-room.ts";

export { MatEntry, MatEvents, type MatParameters, MatRule, MatWrite, slowLimit } from "./mat/records.ts";

/**
 * Match-and-action table (paper §4.3.2): decides where each request goes. The decision is by the opcode, or by a rule
 * for the PID, and by the request's form (../model/rules.md, section 4). The destinations are memory (`asked`:
 * accesses, atomics, pointers, fences), a reply (NACK, MALFORMED, INVALID, BUSY, echo), the slow path, and none
 * (`release` frees the slot).
 *
 * A reply (`request.reply`) is never answered: one for the slow path goes there while there is room, any other nowhere.
 *
 * Latency: 1 cycle to `asked`, 2 to `reply`, `slow` and `release` (`events` too). Initiation interval: 1. Full: when
 * `asked` or `reply` stalls, two requests wait here, then `request.ready` is 0 (a register: it follows no other stream
 * within the cycle). `slow` never stalls the table. At most slots / 4 requests are out at the slow path, from `slow` to
 * `slow_release`, and a queue here has room for all of them. One request more is answered BUSY. The table is written at
 * any time; a request that is taken in the same cycle still sees the old entry. Reset leaves its content alone.
 */
export const Mat = module("Mat", matPorts, (io, p: MatParameters) => {
  // Facts about a request when it is taken.
  const taken = io.request.payload;
  const entry = actionTable(io),
    says = actionOf(entry, taken, io.rules),
    room = slowRoom(p, io.slowRelease);
  const facts = factsOf(p, taken, entry, says, room.full);
  const known = stream(Known(p));
  known.valid.set(io.request.valid);
  io.request.ready.set(known.ready);
  known.payload.set(facts);
  const entersSlow = node(facts.maySlow.and(facts.slow).or(facts.sound.and(facts.extend)));
  room.takes(io.request.fire.and(entersSlow));

  // Outputs that result.
  const decided = p.compact === true ? known : stage(known, "full", { name: "decided" });
  const d = decided.payload,
    to = outcomeOf(d);
  io.asked.valid.set(decided.valid.and(to.toAccess));
  io.asked.payload.set(accessOf(p, d));
  const replies = stream(Reply(p));
  replies.valid.set(decided.valid.and(to.toReply));
  replies.payload.set(replyOf(p, d, to));
  connect(p.compact === true ? replies : stage(replies, "full"), io.reply);
  const slowQueue = instance(Fifo({ shape: SlowFrame(p), depth: Math.max(2, slowLimit(p)), style: "distributed" }));
  slowQueue.push.valid.set(decided.valid.and(to.toSlow));
  slowQueue.push.payload.set({ slot: d.slot, frame: d.frame });
  connect(slowQueue.pop, io.slow);
  const accepted = to.toAccess.and(io.asked.ready),
    answered = to.toReply.and(replies.ready),
    handed = to.toSlow.and(slowQueue.push.ready);
  decided.ready.set(orTree([accepted, answered, handed, to.toRelease]));

  const released = reg(Release(p), { init: { valid: 0 } });
  released.set({ valid: decided.valid.and(to.toRelease), slot: d.slot });
  io.release.set(released);
  const happened = reg(MatEvents, { init: 0 });
  count(happened, d, to, decided.fire);
  io.events.set(happened);
});
