/** A template with the lengths of the frame that it begins. */
import {
  type Bit,
  bit,
  cat,
  mux,
  node,
  reg,
  type StreamIn,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { headerOffsets } from "../../../shared/wire/index.ts";
import { type Leaving, lengthBits } from "./records.ts";

/** Where the template has what is filled in. */
const at = { ipLength: 16, ipChecksum: 24, udpLength: headerOffsets.transport + 4 } as const;

/** A number at two bytes of the template, network order. */
function putWord(data: UInt, byte: number, value: UInt): UInt {
  const turned = cat(value.bits(0, 8), value.bits(8, 8)),
    [low, high] = [8 * byte, 8 * byte + 16];
  return cat(data.bits(high, data.width - high), turned, data.bits(0, low)).is(data.width);
}
const onesAdd = (a: UInt, b: UInt): UInt => {
  const sum = node(a.zext(17).add(b.zext(17)));
  return sum.trunc(16).add(sum.bit(16).zext(16));
};
/** Bytes of the frame, tag and shim not counted. */
const frameBytes = (p: Val<ReturnType<typeof Leaving>>, trailers: boolean): UInt =>
  p.payloadBytes.add(
    p.template.bytes
      .zext(8)
      .add(trailers ? p.restLength : p.headLength.zext(8))
      .zext(lengthBits),
  );

interface Filled {
  readonly data: UInt;
  readonly known: Bit;
  /** The packet has waited for a cycle. */
  readonly settled: Bit;
}
/**
 * The template of the packet that waits, filled in: the lengths are known a cycle later. A template without lengths is
 * known at once.
 */
export function filledTemplate(packet: StreamIn<ReturnType<typeof Leaving>>, trailers = false): Filled {
  const { template } = packet.payload,
    bytes = node(frameBytes(packet.payload, trailers).zext(16), { name: "frame_bytes" }),
    ip = node(bytes.sub(headerOffsets.network), { name: "ip_length" });
  const settled = reg(bit, { init: 0, name: "is_settled" }),
    ipLength = reg(uint(16), { name: "filled_ip_length" }),
    udpLength = reg(uint(16), { name: "filled_udp_length" }),
    sum = reg(uint(16), { name: "filled_sum" });
  settled.set(packet.valid.andNot(packet.fire));
  when(settled.not(), () => {
    ipLength.set(ip);
    udpLength.set(bytes.sub(headerOffsets.transport));
    sum.set(template.sum);
  });
  const checksum = node(onesAdd(sum, ipLength).not(), { name: "filled_checksum" });
  const { data, lengths } = template,
    words = putWord(putWord(putWord(data, at.ipLength, ipLength), at.ipChecksum, checksum), at.udpLength, udpLength);
  return { data: mux(lengths, words, data), known: settled.or(lengths.not()), settled };
}
