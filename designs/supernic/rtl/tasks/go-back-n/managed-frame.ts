/** The frame that answers OPEN_SESSION or CLOSE_SESSION. Wires only. */
import { type Bit, cat, constant, mux, type UInt } from "../../../../../hdl-dsl/index.ts";
import { joinBytes, joinFields } from "../../../../shared/frame/index.ts";
import { gbnEnd } from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnHeader, managementSlot } from "../../../../shared/go-back-n/wire/index.ts";
import { gbnSays, gbnWaitNs } from "../../../wire/index.ts";
import { headerBits } from "../interface.ts";
import { clio, headersOf } from "./classify.ts";

/** A request: its header, and the bytes behind it: the end of Clio's header, and the session. */
export interface ManageJob {
  /** It is there, and its bytes stay until it is `done`. */
  readonly valid: Bit;
  readonly header: UInt;
  readonly node: UInt;
  readonly ingress: UInt;
  /** The end of Clio's header, 16 bits. */
  readonly rest: UInt;
  readonly session: UInt;
}
/** The answer: the request turned round, so the sum of its IPv4 header is as it was. */
export function managedFrame(job: ManageJob, says: { readonly status: UInt; readonly session: UInt }) {
  const { ethernet, ip, udp, gbn } = headersOf(job.header),
    byte = (at: number, count = 1): UInt => job.header.bits(8 * at, 8 * count),
    at = (n: number): number => gbnEnd + n,
    busy = says.status.eq(gbnSays.busy),
    // `flagRoute` says that there is a time to wait, where `retryOf` stands.
    flags = byte(at(clio.status)).bits(4, 4).or(busy.zext(4)),
    wait = constant(gbnWaitNs, 32);
  const bytesOf = (n: UInt): UInt => cat(...Array.from({ length: n.width / 8 }, (_, i) => n.bits(8 * i, 8)));
  const header = joinBytes(
    bytesOf(ethernet.src),
    bytesOf(ethernet.dst),
    byte(12, 14),
    bytesOf(ip.dst),
    bytesOf(ip.src),
    bytesOf(udp.dstPort),
    bytesOf(udp.srcPort),
    byte(38, 2),
    constant(0, 16),
    // The port by which it leaves goes along in the unused bits (out.ts).
    joinFields(gbnHeader, { ...gbn, srcSlot: managementSlot, dstSlot: gbn.srcSlot, sequence: 0, unused: job.ingress }),
    byte(at(0), clio.opcode),
    byte(at(clio.opcode)).or(1),
    cat(flags, says.status.resize(4)),
    byte(at(5), 7),
    mux(busy, wait.trunc(16), byte(at(12), 2)),
  ).is(headerBits);
  // What stands behind its 6 bytes is nobody's: the header's own costs no choice.
  const tail = cat(says.session.resize(32), mux(busy, wait.shr(16).trunc(16), job.rest));
  return [header, cat(header.bits(tail.width, headerBits - tail.width), tail).is(headerBits)] as const;
}
