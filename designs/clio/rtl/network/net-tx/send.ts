/** Stage 4: the frame being sent. */
import {
  arbiter,
  assertAlways,
  atLeast,
  bit,
  type Bit,
  connect,
  constant,
  fromBits,
  mux,
  node,
  priority,
  reg,
  stage,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { ipv4Checksum, keepAll, keepTo, slotBits } from "../../../../shared/frame/index.ts";
import { minimumFrame } from "../../../../shared/wire/index.ts";
import { echoBytes, fullBytes, placeChecksum, rawLimit } from "../reply-frame.ts";
import type { Flow } from "./flow.ts";
import type { Built } from "./plan.ts";
import type { Build } from "./ports.ts";

/**
 * `header` and `take` (lanes that come from the data) move on by one beat with every beat sent.
 */
function frameOf({ p, beatBytes, beatBits, headerBeats, headerLanes }: Build) {
  return {
    slot: reg(uint(slotBits(p))),
    header: reg(uint(headerLanes * 8)),
    take: reg(uint(headerLanes)),
    plain: reg(uint(headerBeats)),
    bearing: reg(bit),
    echo: reg(bit),
    left: reg(uint(beatBits)),
    lastKeep: reg(uint(beatBytes)),
  };
}
type Frame = ReturnType<typeof frameOf>;

/** Takes a built frame. */
function loadFrame(
  { beatBytes, headerBeats, headerLanes }: Build,
  { final }: Flow,
  built: Built["built"],
  bears: Bit,
  { slot, header, take, plain, bearing, echo, left, lastKeep }: Frame,
): void {
  const lane = (i: number): Bit => {
    if (i >= fullBytes) return bears;
    const source = i < echoBytes ? constant(0, 1) : i < rawLimit ? built.icmp : built.echo;
    return i < minimumFrame ? source.and(atLeast(built.content, i)) : source;
  };
  const beatsBefore = (bytes: number): bigint => (1n << BigInt(Math.floor(bytes / beatBytes))) - 1n;
  const all = (1n << BigInt(headerBeats)) - 1n;
  const checksum = ipv4Checksum(built.sum);
  slot.set(built.slot);
  header.set(mux(built.clio, placeChecksum(built.header, checksum), built.header).resize(headerLanes * 8));
  take.set(fromBits(Array.from({ length: headerLanes }, (_, i) => lane(i))));
  plain.set(
    priority(
      [built.data, constant(beatsBefore(fullBytes), headerBeats)],
      [built.echo.not(), constant(all, headerBeats)],
      [built.icmp, constant(beatsBefore(echoBytes), headerBeats)],
      constant(beatsBefore(rawLimit), headerBeats),
    ),
  );
  bearing.set(bears);
  echo.set(built.echo);
  left.set(built.lastBeat);
  final.set(built.lastBeat.eq(0));
  lastKeep.set(keepTo(built.lastLane, beatBytes));
}

export function sendStage(build: Build, flow: Flow, built: Built) {
  const { beatBytes, headerLanes } = build,
    { sending, sent, sendingRoom, final, builtValid } = flow,
    frame = frameOf(build),
    { header, take, plain, bearing, left } = frame;
  const bears = node(built.built.echo.or(built.built.data));
  when(sendingRoom, () => sending.set(builtValid));
  when(built.builtMoves, () => {
    loadFrame(build, flow, built.built, bears, frame);
  }).elseWhen(sent.fire, () => {
    header.set(header.shr(beatBytes * 8));
    take.set(
      take
        .shr(beatBytes)
        .or(
          mux(bearing, constant((1n << BigInt(headerLanes)) - (1n << BigInt(headerLanes - beatBytes)), headerLanes), 0),
        ),
    );
    plain.set(plain.shr(1));
    left.set(left.sub(1));
    final.set(left.eq(1));
  });

  return frame;
}

/** Beats out: the header, and behind it what the memory or the frame buffer has. */
export function sendBeats(
  { io, p, beatBytes, compact }: Build,
  { sending, sent, final }: Flow,
  { slot, header, take, plain, echo, lastKeep }: Frame,
): void {
  const waits = node(plain.bit(0).not());
  // A register for the memory's data: they are there before the header is, and where they come from is far away.
  const data = compact ? io.data : stage(io.data, "forward");
  const behind = node(mux(echo, io.echoData.payload.data, data.payload.data));
  const mask = fromBits(Array.from({ length: beatBytes * 8 }, (_, i) => take.bit(i >> 3)));
  sent.valid.set(sending.and(plain.bit(0).or(mux(echo, io.echoData.valid, data.valid))));
  sent.payload.set({
    data: header.trunc(beatBytes * 8).or(behind.and(mask)),
    keep: mux(final, lastKeep, keepAll(beatBytes)),
    last: final,
    user: final.and(waits).and(echo.not()).and(data.payload.bad),
  });
  const consumes = node(sending.and(waits).and(sent.ready));
  data.ready.set(consumes.and(echo.not()));
  io.echoData.ready.set(consumes.and(echo));
  connect(arbiter([compact ? sent : stage(sent, "full", { name: "staged" }), io.raw], { last: v => v.last }), io.tx);

  const released = reg(bit, { init: 0 });
  const releasedSlot = reg(uint(slotBits(p)));
  released.set(sent.fire.and(final));
  releasedSlot.set(slot);
  io.release.set({ valid: released, slot: releasedSlot });

  const together = data.fire.not().or(data.payload.last.eq(final));
  assertAlways(together, "the data of a reply end with its length");
  assertAlways(io.echoData.fire.not().or(io.echoData.payload.last.eq(final)), "the echoed beats end with the frame");
}
