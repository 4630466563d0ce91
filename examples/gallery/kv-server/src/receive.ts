/** Frames into requests: a frame is whole, for this server, and unharmed, or it is dropped. */
import {
  type axisBeat,
  bit,
  type Bit,
  cat,
  mux,
  orTree,
  pipeline,
  reg,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "mnemosyne";
import { beats, faultsOf, frameBytes, type Identity, summed } from "./frame.ts";

const Whole = struct({ bytes: uint(8 * frameBytes), exact: bit });
/** `good`: it is a request. */
export const Judged = struct({ bytes: uint(8 * frameBytes), good: bit });

/** All beats of a frame side by side. `exact`: it has as many bytes as a request. */
function wholeFrames(from: StreamIn<ReturnType<typeof axisBeat>>): StreamIn<typeof Whole> {
  const { data, keep, last } = from.payload;
  const held = reg(vec(uint(64), beats)),
    index = reg(uint(4), { init: 0 }),
    full = reg(bit, { init: 0 }),
    exact = reg(bit);
  const out = stream(Whole);
  from.ready.set(full.not().or(out.ready));
  when(out.fire, () => full.set(0));
  when(from.fire, () => {
    for (let i = 0; i < beats; i++) when(index.eq(i), () => held.at(i).set(data.is(64)));
    index.set(mux(index.eq(beats), index, index.add(1)));
    when(last, () => {
      index.set(0);
      full.set(1);
      exact.set(index.eq(beats - 1).and(keep.all()));
    });
  });
  out.valid.set(full);
  out.payload.set({ bytes: cat(...[...held.toArray()].reverse()).is(512), exact });
  return out;
}

/** The sum of some numbers, whole. */
const total = (words: readonly UInt[], width: number): UInt => words.map(w => w.zext(width)).reduce((a, b) => a.add(b));
/** In fours, each sum of 18 bits. */
const fours = (words: readonly UInt[]): UInt[] =>
  Array.from({ length: Math.ceil(words.length / 4) }, (_, i) => total(words.slice(4 * i, 4 * i + 4), 18));
/** The carries added in (RFC 1071): a sum that is right gives 0xffff, for it is a multiple of that and not 0. */
const folded = (sum: UInt): UInt =>
  sum
    .bits(0, 16)
    .zext(17)
    .add(sum.bits(16, sum.width - 16).zext(17));

/** Latency 4 from a frame's last beat; a frame of the shortest size is judged as fast as it comes. */
export function judged(from: StreamIn<ReturnType<typeof axisBeat>>, me: Identity): StreamIn<typeof Judged> {
  const out = stream(Judged);
  const isRight = (sum: UInt): Bit => folded(sum).eq(0xffff);
  pipeline(wholeFrames(from))
    .stage(v => {
      const { ip, udp } = summed(v.bytes);
      return {
        faults: cat(v.exact.not(), ...faultsOf(v.bytes, me)),
        // UDP's checksum is 0 where the sender made none.
        unchecked: v.bytes.bits(8 * 40, 16).eq(0),
        ip: cat(...fours(ip)),
        udp: cat(...fours(udp)),
      };
    })
    .stage(v => ({ ipSum: sumOf(v.ip), udpSum: sumOf(v.udp), faulty: v.faults.any() }))
    .stage(v => ({ good: orTree([v.faulty, isRight(v.ipSum).not(), isRight(v.udpSum).or(v.unchecked).not()]).not() }))
    .into(out);
  return out;
}
/** Of sums of 18 bits side by side. */
const sumOf = (sums: UInt): UInt =>
  total(
    Array.from({ length: sums.width / 18 }, (_, i) => sums.bits(18 * i, 18)),
    21,
  );
