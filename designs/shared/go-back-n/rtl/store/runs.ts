/** Bursts of a frame. */
import {
  type Bit,
  bit,
  bitsFor,
  cat,
  constant,
  mux,
  node,
  reg,
  type UInt,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { frameBeats } from "../frames.ts";
import { frameSpace, type GbnStoreParameters, lengthBitsOf } from "./ports.ts";

/** Beats of a burst at most. */
export const burstOf = (p: GbnStoreParameters): number => Math.min(256, (p.burstBytes ?? 4096) / p.beatBytes);
export const countBitsOf = (p: GbnStoreParameters): number => bitsFor(Math.max(frameBeats(p), burstOf(p)));

/** A frame's first address. */
const addressOf = (p: GbnStoreParameters, place: UInt): UInt =>
  cat(place, constant(0, Math.log2(frameSpace(p))))
    .resize(p.addressBits)
    .add(BigInt(p.base));
/** The beats of so many bytes. */
export const beatsOf = (p: GbnStoreParameters, bytes: UInt): UInt =>
  bytes
    .zext(lengthBitsOf(p) + 1)
    .add(p.beatBytes - 1)
    .shr(Math.log2(p.beatBytes))
    .resize(countBitsOf(p));

/** When a run begins, with which frame, and when its address has been taken. */
interface RunOrder {
  readonly start: Bit;
  readonly place: UInt;
  readonly bytes: UInt;
  readonly taken: Bit;
}

/** A run of bursts: the first `burst` beats, and so on. */
export function runOf(p: GbnStoreParameters, name: string, { start, place, bytes, taken }: RunOrder) {
  const { beatBytes } = p,
    most = frameBeats(p),
    burst = burstOf(p),
    countBits = countBitsOf(p),
    laneBits = Math.log2(beatBytes);
  const address = addressOf(p, place),
    beats = beatsOf(p, bytes);
  const running = reg(bit, { init: 0, name: `${name}_running` });
  const at = reg(uint(p.addressBits), { name: `${name}_at` });
  const left = reg(uint(countBits), { name: `${name}_left` });
  const final = node(left.le(burst), { name: `${name}_final` });
  const now = node(mux(final, left.sub(1).resize(8), constant(burst - 1, 8)), { name: `${name}_len` });
  when(start, () => {
    running.set(1);
    at.set(address);
    left.set(beats);
  }).elseWhen(taken, () => {
    running.set(final.not());
    at.set(at.add(Math.min(4096, burst * beatBytes)));
    left.set(left.sub(Math.min(burst, most)));
  });
  return { running, final, address: { id: 0, addr: at, len: now, size: laneBits, burst: 1 } };
}
