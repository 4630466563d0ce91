import { module, reg, uint } from "../../../hdl-dsl/index.ts";
import { closing } from "./slot-reset.ts";
import { askMemory, countAccesses, takeReplies } from "./slot/accesses.ts";
import { slotPorts } from "./slot/ports.ts";
import { giveReplies } from "./slot/replies.ts";
import { keepRequests, takeTurns } from "./slot/requests.ts";
import { watch } from "./slot/reset.ts";

/**
 * One offload's place in the node. The slot stands between the offload and everything that it shares with others,
 * so that it can harm none of them (paper §4.4.6). `request` to `memory_reply_data` are the offload's ports from
 * the other side.
 *
 * - Requests: `asked` may be given only while `room` is 1, with `context` as its name; at most `contexts` are in the
 *   offload. Its body is kept here, where there is room for the largest of each, so a slow offload stalls no other.
 * - Turns of the clients: `fits` tells whether a client (`client`, 2 cycles before) may have one more request inside.
 *   It may while it has fewer than there are free contexts. So one client alone has half of them at most, n clients
 *   each have about 1 / (n + 1), and there is a place for one that has none until there are as many clients as
 *   contexts.
 * - Replies and memory requests leave (`answer`, `access`) only when all their data are here. So an offload stalls no
 *   one in the middle of a frame. A reply for a context without a request is discarded.
 * - Memory replies: an access leaves only when there is room for its reply, so `came` and `came_data` are always taken.
 *   An access for a client is made with the client's PID, and only while its request is in the offload. With an opcode
 *   outside `offloadOpcodes` it leaves as opcode 0, which the node answers MALFORMED.
 *
 * Latency: 1 cycle from `asked` to `request`; 1 from `came` to `memory_reply`. A reply without data takes 2 cycles to
 * `answer`, a memory request 3 to `access`, and each one more after the last beat of data. Initiation interval: 1 beat,
 * and 1 cycle between items. Reset: all contexts free, nothing under way.
 *
 * `control.hold` resets the offload alone, and keeps it in reset (`in_reset`) as long as it lasts. Transfers that were
 * begun and not complete do not leave any more; complete ones do. Its memory requests that are under way are waited
 * for, and their replies thrown away, so none can come to a later request. Then every request that is left is answered
 * (`lost`: its status and opcode are the host's business), and `state.held` rises. Meanwhile `room` is 0. Replies that
 * have not come within 16 x `control.patience` cycles are given up: they belong to an epoch that is over, and are
 * thrown away whenever they come. None is given up while memory has data to take of a request that it has taken. After
 * 16 such resets an epoch's number comes again.
 * `state.stuck`: for `control.patience` cycles the offload has had a request and nothing has moved between it and the
 * slot. Cycles in which memory or the host had to act do not count. Or, whatever moved, it has given no reply for
 * `control.limit` units of 65,536 cycles, though it had a request.
 */
export const OffloadSlot = module(
  "OffloadSlot",
  slotPorts,
  (io, p) => {
    const used = reg(uint(p.contexts), { init: 0 }),
      build = { io, p, used, closing: closing(io.control.hold, used, io.asked.fire, io.answer.ready) };
    takeTurns(build);
    const requests = keepRequests(build),
      given = giveReplies(build);
    const asked = askMemory(build, requests.pids),
      came = takeReplies(build, asked);
    countAccesses(build, asked, came);
    watch(build, { requests, given, asked, replies: came.replies });

    io.events.set({
      requests: io.asked.fire,
      replies: io.answer.fire,
      accesses: io.access.fire,
      refused: asked.accesses.heads.fire.and(asked.allowed.not()),
      stray: given.dropped,
    });
  },
  {
    nameOf: p =>
      `OffloadSlot_b${p.beatBytes}_c${p.contexts}_o${p.outstanding}_r${p.replyBeats}_m${p.maxBody}${p.sinceUnit === undefined ? "" : `_u${p.sinceUnit}`}`,
  },
);
