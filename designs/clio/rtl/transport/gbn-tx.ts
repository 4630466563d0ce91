import { connect, fork, module, reg } from "../../../../hdl-dsl/index.ts";
import { arrive } from "./gbn-tx/arrive.ts";
import { count } from "./gbn-tx/count.ts";
import { number } from "./gbn-tx/number.ts";
import { order } from "./gbn-tx/order.ts";
import { plan } from "./gbn-tx/plan.ts";
import { gbnTxPorts } from "./gbn-tx/ports.ts";
import { GbnTxEvents } from "./gbn-tx/records.ts";
import { sendAgain } from "../../../shared/go-back-n/rtl/index.ts";
import { keep, part, takeTurns } from "./gbn-tx/send.ts";
import { arrivedQueue, framesOf, keptOf, plansOf, reorderOf, senderOf } from "./gbn-tx/units.ts";

export { GbnTxEvents, type GbnTxParameters } from "./gbn-tx/records.ts";

/**
 * The Go-Back-N shim behind the node: plain Clio frames in, frames to the MAC out (wire-format.md "Go-Back-N build").
 *
 * A reply is known by the tag in its receiver's MAC (gbn-rx.ts). The reply waits until those to the session's earlier
 * requests have gone (reorder.ts). The reply goes to the MAC and the slot kept for the session, with the session's next
 * number. A copy is kept in memory until the reply is acknowledged. Of a reply of several frames only the last waits
 * for its turn; the marked ones before it are numbered as they come. So each request has one waiting frame here,
 * however many frames answer it. Replies to management, and UDP frames that the slow path sends by itself (slot 0 to
 * slot 0), have number 0 and are not kept. Everything else passes. `acks` and the timer decide what is sent again
 * (sender.ts); while a session sends again, its new replies are kept and follow in their turn. ACKs and NACKs of the
 * receiving half (`answers`), frames sent again, and new frames take turns, frame by frame.
 *
 * Latency: 11 cycles from a frame's last beat to its first one at `tx`. Initiation interval: one beat per cycle, one
 * reply every 2 cycles (the shortest has 2 beats of 64 bytes), table: see there. Full: a reply of a session with
 * `window` unacknowledged replies waits, and those behind it wait too. The wait ends with an ACK, or when the session
 * is given up (`tries` timeouts). ACKs do not come through here, so they are not held up. Reset: nothing is taken for
 * one cycle per session. Frames with a wrong `user` on their last beat are dropped without a number.
 */
export const GbnTx = module(
  "GbnTx",
  gbnTxPorts,
  (io, p) => {
    const frames = framesOf(p),
      sender = senderOf(p);
    connect(io.rx, frames.rx);
    frames.discard.set(0);
    connect(io.acks, sender.heard);
    const [toSender, toReorder] = fork(io.control, 2, "eager", { name: "control_to" });
    connect(toSender, sender.control);
    connect(sender.failed, io.failed);

    // A whole frame: its kind, its lengths with the header, and its turn.
    const queue = arrivedQueue(p),
      reorder = reorderOf(p);
    arrive(p, frames, queue);
    order(p, reorder, io, { queue, frames, control: toReorder });

    // Its number and its receiver; what becomes of it.
    const plans = plansOf(p);
    const frame = number(p, io, reorder, sender, plans);
    const given = plan(p, plans, frame);

    // With its header to the network and to memory; again from there.
    const { fresh, kept } = part(p, reorder, plans);
    const memory = keptOf(p);
    keep(io, memory.store, plans.places, kept);
    sendAgain(memory, sender, given);
    takeTurns(io, memory.store, fresh);

    const events = reg(GbnTxEvents, { init: 0 });
    count(events, io, { frame, sender, reorder, store: memory.store });
    io.events.set(events);
  },
  {
    nameOf: p =>
      `GbnTx_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_w${p.window}_t${p.timeoutCycles}_n${p.tries}_m${p.managed}_r${p.waiting}_y${p.patience}_f${p.first >>> 0}_a${p.addressBits}_o${p.base}${p.marksParts === true ? "_q" : ""}`,
  },
);
