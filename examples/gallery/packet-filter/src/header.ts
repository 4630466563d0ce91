/** What rules ask of a frame, taken from its first five beats of eight bytes. */
import {
  type axisBeat,
  bit,
  cat,
  constant,
  mux,
  reg,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  when,
} from "mnemosyne";

/** Bytes of a beat: the places of the fields below count on it. */
export const beatBytes = 8;

/**
 * `known`: IPv4 (RFC 791) without options, whole as far as the destination port. `port` is the destination port of a
 * TCP or UDP packet and 0 in all others, later fragments among them.
 */
export const Header = struct({
  known: bit,
  protocol: uint(8),
  source: uint(32),
  destination: uint(32),
  port: uint(16),
});

/** Bytes of a beat from number `from` on, the first one highest, as networks send them. */
const field = (data: UInt, from: number, bytes: number): UInt =>
  cat(...Array.from({ length: bytes }, (_, i) => data.bits(8 * (from + i), 8)));

/** One header for each frame, at its fifth beat or its last one, whichever comes first. */
export function headers(beats: StreamIn<ReturnType<typeof axisBeat>>): StreamIn<typeof Header> {
  const { data, keep, last } = beats.payload;
  const index = reg(uint(3), { init: 0 }),
    ipv4 = reg(bit),
    fragment = reg(bit),
    protocol = reg(uint(8)),
    source = reg(uint(32)),
    destinationHigh = reg(uint(16));
  const decides = index.eq(4),
    past = index.eq(5),
    due = decides.or(last).andNot(past);

  when(beats.fire, () => {
    index.set(mux(last, constant(0, 3), mux(past, index, index.add(1))));
    // Bytes 12 to 15: the type of the frame, then version and length of IP's header.
    when(index.eq(1), () =>
      ipv4.set(
        field(data, 4, 2)
          .eq(0x0800)
          .and(field(data, 6, 1).eq(0x45)),
      ),
    );
    // Bytes 20 to 23: flags and the fragment's offset, time to live, protocol.
    when(index.eq(2), () => {
      fragment.set(field(data, 4, 2).bits(0, 13).any());
      protocol.set(field(data, 7, 1).is(8));
    });
    when(index.eq(3), () => {
      source.set(field(data, 2, 4).is(32));
      destinationHigh.set(field(data, 6, 2).is(16));
    });
  });

  const out = stream(Header),
    hasPort = protocol.eq(6).or(protocol.eq(17)).andNot(fragment);
  out.valid.set(beats.valid.and(due));
  out.payload.set({
    known: decides.and(ipv4).and(keep.bit(5)),
    protocol,
    source,
    destination: cat(destinationHigh, field(data, 0, 2)).is(32),
    port: mux(hasPort, field(data, 4, 2).is(16), constant(0, 16)),
  });
  beats.ready.set(out.ready.or(due.not()));
  return out;
}
