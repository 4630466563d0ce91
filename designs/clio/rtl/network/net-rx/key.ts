/**
 * The key of a process, at the end of a request (docs/clio/process-keys.md): the last eight bytes of the frame,
 * wherever in a beat they end, against the key that the process has.
 */
import { bit, type Bit, cat, mux, node, onehotMux, reg, uint, type UInt, when } from "../../../../../hdl-dsl/index.ts";
import { ethernetHeader, udpHeader } from "../../../../shared/wire/index.ts";
import { keyTrailer } from "../../../wire/index.ts";
import { keyBits } from "../process-keys.ts";
import type { Headers, Traits } from "./headers.ts";
import type { NetRxIo } from "./ports.ts";
import type { Frame, NetRxParameters } from "./records.ts";

const keyBytes = keyTrailer.bytes;

/**
 * The last eight bytes that have come, each in the place that is its number in the frame modulo 8. So each beat only
 * chooses for a place the last of its words that has it.
 */
function lastBytes(io: NetRxIo, { beatBytes }: NetRxParameters): UInt {
  const { data, keep } = io.rx.payload,
    words = Array.from({ length: beatBytes / keyBytes }, (_, w) => w * keyBytes);
  const ring = reg(uint(keyBits), { name: "last_bytes" });
  when(io.rx.fire, () => {
    for (let place = 0; place < keyBytes; place++) {
      const kept = words.map(from => keep.bit(from + place));
      const last = kept.map((k, w) => (w === kept.length - 1 ? k : k.andNot(kept[w + 1] as Bit)));
      const bytes = words.map(from => data.bits(8 * (from + place), 8));
      when(kept[0] as Bit, () => ring.setBits(8 * place, onehotMux(last, bytes)));
    }
  });
  return ring;
}

/** The bytes in their order on the wire: that of the frame's last byte is the highest. */
function inOrder(ring: UInt, lastByte: UInt): UInt {
  // The place behind the last byte's is the first one's.
  const from = node(lastByte.trunc(3).add(1), { name: "key_from" });
  const turned = (v: UInt, places: number): UInt =>
    cat(v.bits(0, 8 * places), v.bits(8 * places, keyBits - 8 * places));
  return [1, 2, 4].reduce(
    (v, places, i) => node(mux(from.bit(i), turned(v, places), v), { name: `by_${places}` }),
    ring,
  );
}

/** Whether the frame ends with its packet, and the packet with eight bytes behind the message's end. */
function hasKey({ ip, udp, clio }: Headers, lastByte: UInt): Bit {
  const wide = Math.max(17, lastByte.width);
  const ends = ip.totalLength
    .zext(wide)
    .add(ethernetHeader.bytes - 1)
    .eq(lastByte.zext(wide));
  const message = clio.size.zext(17).add(udpHeader.bytes + keyBytes);
  return node(ends.and(message.eq(udp.length.zext(17))), { name: "has_key" });
}

/**
 * Reads the key of the frame's process as the frame `leaves` the header register. @returns in the stage behind, whether
 * the frame is a request for a process with a key and does not have it; an offload of the node needs none
 */
export function wrongKey(
  p: NetRxParameters,
  io: NetRxIo,
  frame: Frame,
  { headers, is }: { readonly headers: Headers; readonly is: Traits },
  leaves: Bit,
): Bit {
  const ring = lastBytes(io, p);
  io.keyRead.set({ en: leaves, pid: headers.clio.pid });
  const sent = reg(uint(keyBits), { name: "sent_key" }),
    has = reg(bit, { name: "sends_key" }),
    excused = reg(bit, { name: "needs_no_key" });
  when(leaves, () => {
    sent.set(inOrder(ring, frame.lastByte));
    has.set(hasKey(headers, frame.lastByte));
    excused.set(is.inside ?? 0);
  });
  const right = has.and(sent.eq(io.key));
  return node(io.key.any().andNot(right.or(excused)), { name: "wrong_key" });
}
