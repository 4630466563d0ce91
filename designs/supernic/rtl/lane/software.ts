/** Frames of software and for software: both wait as a whole, so that nobody waits for software in mid-frame. */
import {
  assertAlways,
  type Bit,
  bit,
  connect,
  encodeOnehot,
  fifoWithLevel,
  instance,
  node,
  orTree,
  PacketFifo,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { keptBytes } from "../../../shared/frame/index.ts";
import { type QueueHeads, softwareClass } from "../inside/index.ts";
import { type FromSoftware, laneFrameBeats, type LaneParameters, softwareBeats, ToSoftware } from "./ports.ts";
import { OwnBeat } from "./records.ts";

/** The style of a buffer of so many beats. */
const styleOf = (beats: number) => (beats > 32 ? "block" : "distributed");

/** Software's frames, each offered when it has come as a whole. Gives also a pulse for each that was dropped. */
export function ownFrames(p: LaneParameters, from: StreamIn<ReturnType<typeof FromSoftware>>) {
  const depth = softwareBeats(p),
    queue = instance(
      "sent",
      PacketFifo({ shape: OwnBeat(p), depth, last: "last", drop: "user", style: styleOf(depth) }),
    );
  // A register in front: its reset clears the bytes that do not count.
  const { data, keep, last, user, ports } = from.payload,
    full = reg(bit, { init: 0, name: "own_full" }),
    about = reg(struct({ count: uint(7), last: bit, user: bit, ports: uint(p.ports) }), { name: "own_about" }),
    kept = keptBytes("own_data", data, keep, from.fire),
    edge = node(keep.andNot(keep.shr(1)), { name: "own_edge" });
  from.ready.set(full.not().or(queue.push.ready));
  when(from.ready, () => full.set(from.valid));
  when(from.fire, () => about.set({ count: encodeOnehot(edge).zext(7).add(1), last, user: user.and(last), ports }));
  queue.push.valid.set(full);
  queue.push.payload.set({ data: kept, ...about });
  return { frames: queue.pop, dropped: queue.dropped };
}

/** The buffer in front of software. */
export interface SoftwareBuffer {
  readonly input: StreamOut<typeof ToSoftware>;
  /** A whole frame has room, and none is on its way that is not in the buffer yet. */
  readonly room: Bit;
  /** There has been no room for `softwareCycles`, and a frame waits for it. */
  readonly late: Bit;
  /** Given when a frame for it is chosen, and when its last beat has come. */
  readonly note: (chosen: Bit, ends: Bit) => void;
}
export function softwareBuffer(
  p: LaneParameters,
  heads: readonly Val<ReturnType<typeof QueueHeads>>[],
  out: StreamOut<typeof ToSoftware>,
): SoftwareBuffer {
  const depth = softwareBeats(p),
    input = stream(ToSoftware, { name: "to_buffer" }),
    beats = stream(ToSoftware, { name: "buffer_beats" }),
    { out: buffered, level } = fifoWithLevel(beats, depth, { name: "for_software", style: styleOf(depth) });
  connect(buffered, out);
  // Who was chosen has room for all of its frame. So nobody in front waits for what the buffer has.
  input.ready.set(1);
  beats.valid.set(input.valid);
  beats.payload.set(input.payload);
  assertAlways(beats.valid.not().or(beats.ready), "a frame for software has room in its buffer");
  const onItsWay = reg(bit, { init: 0, name: "software_on_its_way" }),
    hasRoom = reg(bit, { init: 0, name: "software_has_room" });
  // All turns hang on it, so it is of the cycle before: since then one beat may have come.
  hasRoom.set(level.le(depth - laneFrameBeats(p) - 1));
  const bits = Math.ceil(Math.log2(p.softwareCycles + 1)),
    time = reg(uint(bits), { init: 0, name: "software_time" }),
    late = reg(bit, { init: 0, name: "software_late" }),
    // A message that passes to the next peer waits for a port.
    waits = node(orTree(heads.map(h => h.at(softwareClass)).map(h => h.valid.and(h.facts.outcome.is("software")))), {
      name: "waits_for_software",
    });
  // That the time is over is a register, with the last cycle of it: all turns hang on it.
  when(hasRoom.or(waits.not()), () => {
    time.set(0);
    late.set(0);
  }).elseWhen(late.not(), () => {
    time.set(time.add(1));
    late.set(time.eq(p.softwareCycles - 1));
  });
  return {
    input,
    room: node(hasRoom.andNot(onItsWay), { name: "software_room" }),
    late,
    note: (chosen, ends) => {
      when(chosen, () => onItsWay.set(1)).elseWhen(ends, () => onItsWay.set(0));
    },
  };
}
