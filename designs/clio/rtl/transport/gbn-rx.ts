import { bit, connect, instance, module, reg } from "../../../../hdl-dsl/index.ts";
import { GbnFrames, GbnReceiver } from "../../../shared/go-back-n/rtl/index.ts";
import { headerBytes } from "./gbn-opcode.ts";
import { judge } from "./gbn-rx/judge.ts";
import { countEvents, keepSenders, nameRequests, passAcks, passFrames, sendAnswers } from "./gbn-rx/pass.ts";
import { gbnRxPorts, tableOf } from "./gbn-rx/ports.ts";
import { askTable, outcomeOf } from "./gbn-rx/session.ts";
import { verdictOf } from "./gbn-rx/verdict.ts";

/**
 * The Go-Back-N shim in front of the node (wire-format.md "Go-Back-N build"): frames from the MAC in, plain
 * Clio frames out.
 *
 * A frame is a Go-Back-N packet when it is IPv4 and UDP without options or fragments, with a right header checksum and
 * lengths. The frame must be addressed to the node's MAC, address and one of its ports, and its sender must be one that
 * may be answered (senders.ts). DATA in order (receiver.ts) and DATA from or to slot 0 pass, without the 8-byte header.
 * The lengths and the IPv4 checksum are corrected (RFC 1624), and the UDP checksum becomes 0. The sender's MAC becomes
 * a tag, by which gbn-tx.ts finds session, request and sender again when the node answers. Requests that are never
 * answered are named on `named`, and every 4,096th of a session. While `crowded`, DATA of sessions is refused. ACKs and
 * NACKs of a session's peer go to `acks`. Answers go to `answers`. All other frames pass as they came (but UDP frames
 * that begin like an ACK or NACK, whatever their port: malformed).
 *
 * Latency: 10 cycles from a frame's last beat to its first one at `tx`; 8 to `acks`; 11 to the first beat at `answers`.
 * Initiation interval: one beat and one packet per cycle. Full: `rx` never waits for the node, so that ACKs come
 * through when the node stalls. A frame without room (three of the largest and a few beats, or 32 frames) is dropped
 * before the session sees it. An answer for which there is no room is not made, see there. An ACK is forgotten while 16
 * wait. `rx.ready` is 0 while the sessions are set up after reset, and as long as `control` holds up the table. Frames
 * with a wrong FCS and frames that are too long are dropped.
 */
export const GbnRx = module(
  "GbnRx",
  gbnRxPorts,
  (io, p) => {
    const frames = instance(
      "frames",
      GbnFrames({ beatBytes: p.beatBytes, frameBytes: p.frameBytes, headerBytes, waits: false }),
    );
    connect(io.rx, frames.rx);
    const receiver = instance("receiver", GbnReceiver(tableOf(p)));
    connect(io.control, receiver.control);

    const queue = verdictOf(p, judge(io, p, frames));
    // Four may be on their way here.
    const held = reg(bit, { init: 1 });
    held.set(queue.level.gt(8));
    frames.hold.set(held);

    const asked = askTable(io, p, queue.pop, receiver),
      outcome = outcomeOf(p, asked, receiver);

    const decided = { io, p, asked, outcome, receiver, frames };
    passFrames(decided);
    keepSenders(decided);
    nameRequests(decided);
    passAcks(decided);
    sendAnswers(decided);
    countEvents(decided);
  },
  {
    nameOf: p =>
      `GbnRx_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_p${p.clientPorts}_e${p.ackEvery}_c${p.ackCycles}_m${p.managed}_f${p.first >>> 0}${p.checksPeers === true ? "_v" : ""}`,
  },
);
