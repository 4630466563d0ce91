import { bit, module, reg } from "../../../../hdl-dsl/index.ts";
import { lengthsOf } from "./store/lengths.ts";
import { storePorts } from "./store/ports.ts";
import { readFrames } from "./store/read.ts";
import { writeFrames } from "./store/write.ts";

export {
  FramePlace,
  frameSpace,
  gbnMemory,
  type GbnStoreParameters,
  lengthBitsOf,
  writtenBits,
} from "./store/ports.ts";

/**
 * Frames kept in memory until they are acknowledged, `window` for each session, behind an AXI4 port of their own:
 * `gbnMemory` bytes from `base` (256 MB for 1,024 sessions, 128 frames and 1,536 bytes, with 2 KB for a frame). Lengths
 * are kept beside, on chip (11 bits for each frame: 1.4 Mbit then).
 *
 * `place` tells where a frame goes and how long it is, `beats` brings it; `written` counts the frames that the memory
 * has answered. `read` asks for one frame (one at a time: the next is taken when the one before is in), which comes out
 * whole on `frame`; `reading` is 0 when its last beat has come in. A frame that the memory reports an error for does
 * not come out; `errors` pulses for it, and for a write that failed. Bursts: up to 256 beats and `burst_bytes`, none
 * crosses 4 KB. Latency: 1 cycle from `place` to `aw`, 1 from `beats` to `w` (`direct`: 0), 2 from `read` to `ar`, 1
 * from the last `r` to `frame`. Initiation interval: one beat per cycle each way. Full: with 64 bursts unanswered no
 * more `aw` goes out, then `place` and `beats` wait; `read` waits while two frames wait at `frame`.
 */
export const GbnStore = module(
  "GbnStore",
  storePorts,
  (io, p) => {
    const lengths = lengthsOf(p);
    writeFrames(io, p, lengths);
    const { coming, ends, failed } = readFrames(io, p, lengths);
    io.reading.set(coming);
    const errors = reg(bit, { init: 0 });
    errors.set(io.b.fire.and(io.b.payload.resp.any()).or(ends.and(failed)));
    io.errors.set(errors);
  },
  {
    nameOf: p =>
      `GbnStore_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_w${p.window}_a${p.addressBits}_o${p.base}${p.burstBytes === undefined ? "" : `_m${p.burstBytes}`}${p.direct === true ? "_d" : ""}`,
  },
);
