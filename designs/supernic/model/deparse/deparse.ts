/** The deparser's reference: a packet's frame, byte by byte. */
import { concat, headerOffsets, internetChecksum } from "../../../shared/wire/index.ts";
import { putShims, type Shims } from "../../wire/index.ts";

/** A packet that leaves. */
export interface Packet {
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  /** What stands behind it. */
  readonly trailer?: Uint8Array;
  readonly dropFront: number;
  /** What goes in front; with `lengths` it has IPv4 and UDP whose lengths are filled in. */
  readonly template: { readonly bytes: Uint8Array; readonly lengths: boolean };
  readonly shims: Pick<Shims, "vlan" | "snic">;
}

/** The template with the lengths and the IPv4 checksum of a frame of so many bytes. */
function filled({ bytes, lengths }: Packet["template"], frameBytes: number): Uint8Array {
  const out = bytes.slice();
  if (!lengths) return out;
  const put = (at: number, value: number): void => out.set([(value >> 8) & 255, value & 255], at);
  put(headerOffsets.network + 2, frameBytes - headerOffsets.network);
  put(headerOffsets.network + 10, 0);
  put(headerOffsets.network + 10, internetChecksum(out, headerOffsets.network, headerOffsets.transport));
  put(headerOffsets.transport + 4, frameBytes - headerOffsets.transport);
  return out;
}

/** The frame that a packet becomes, without FCS. */
export function deparse({ header, payload, trailer, dropFront, template, shims }: Packet): Uint8Array {
  const rest = concat(header.slice(dropFront), payload, trailer ?? new Uint8Array()),
    front = filled(template, template.bytes.length + rest.length);
  return putShims(concat(front, rest), shims);
}
