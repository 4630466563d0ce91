import { LINKTYPE_ETHERNET, MOST_BYTES } from "./pcap-format.ts";
import { crcError, type InterfaceFrame, pcapngBlock, pcapngMagic } from "./pcapng-reader.ts";

const nanoseconds = 9,
  padded = (n: number): number => Math.ceil(n / 4) * 4;

/** A block: its type, its body, and its length in front and behind. */
function block(type: number, body: Uint8Array): Uint8Array {
  const length = 12 + padded(body.length),
    out = new Uint8Array(length),
    view = new DataView(out.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, length, true);
  out.set(body, 8);
  view.setUint32(length - 4, length, true);
  return out;
}
function option(code: number, value: Uint8Array): Uint8Array {
  const out = new Uint8Array(4 + padded(value.length)),
    view = new DataView(out.buffer);
  view.setUint16(0, code, true);
  view.setUint16(2, value.length, true);
  out.set(value, 4);
  return out;
}
const end = (): Uint8Array => option(0, new Uint8Array());
const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const words = (...list: readonly number[]): Uint8Array => {
  const out = new Uint8Array(4 * list.length),
    view = new DataView(out.buffer);
  list.forEach((w, i) => view.setUint32(4 * i, w >>> 0, true));
  return out;
};

/**
 * A capture in the pcapng format, with these interfaces, times in nanoseconds, and the frames that had a wrong FCS
 * marked so. @param names of the interfaces, in the order of their numbers
 */
export function writePcapng(
  frames: readonly Pick<InterfaceFrame, "timeNs" | "bytes" | "interface" | "damaged">[],
  names: readonly string[],
): Uint8Array {
  const section = block(pcapngBlock.section, words(pcapngMagic, 1, 0xffffffff, 0xffffffff)),
    text = new TextEncoder();
  const interfaces = names.map(name =>
    block(
      pcapngBlock.interface,
      join(
        words(LINKTYPE_ETHERNET, MOST_BYTES),
        option(2, text.encode(name)),
        option(9, new Uint8Array([nanoseconds])),
        end(),
      ),
    ),
  );
  const packets = frames.map(({ timeNs, bytes, interface: at = 0, damaged = false }) => {
    const body = new Uint8Array(padded(bytes.length));
    body.set(bytes);
    return block(
      pcapngBlock.enhanced,
      join(
        words(at, Number(timeNs >> 32n), Number(timeNs & 0xffffffffn), bytes.length, bytes.length),
        body,
        ...(damaged ? [option(2, words(crcError)), end()] : []),
      ),
    );
  });
  return join(section, ...interfaces, ...packets);
}
