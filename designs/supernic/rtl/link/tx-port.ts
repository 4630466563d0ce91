import {
  bit,
  connect,
  constant,
  input,
  instance,
  module,
  mux,
  node,
  output,
  sink,
  source,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { pfcClasses } from "../../wire/index.ts";
import { beatBytes, PfcSeen, queueClasses, TxBeat } from "../inside/index.ts";
import { TxFrames } from "./frames.ts";
import { PauseSender, PauseTimers } from "./pause.ts";
import {
  keptBits,
  LinkAcked,
  LinkAnswer,
  LinkPort,
  LinkTold,
  numbersName,
  placeBits,
  TxEvents,
  type TxPortParameters,
} from "./records.ts";
import { TxRing } from "./ring.ts";
import { LinkWindow } from "./window.ts";

/**
 * What leaves by a port (docs/supernic/link.md; paper §5.4). The lanes' frames are kept in a ring until they are sent,
 * on a reliable port until the partner has them. A frame leaves when it is there as a whole, so the MAC never starves
 * within one. On a reliable port it has a link shim, with its number and an ACK; frames leave again from the first
 * that is missing, for a NACK or when the partner is silent. PFC, NACK and ACK pass what waits. Latency: 3 cycles from
 * a frame's last beat to its first on `tx`. Initiation interval: a beat a cycle. `room`: see TxRing. Full: the lanes
 * wait. A link that is down drops what it keeps and what comes, until `restart`, which also begins numbers anew; `room`
 * stays 1 then. Reset: nothing is kept, the link is up.
 */
export const TxPort = module(
  "TxPort",
  (_p: TxPortParameters) => ({
    config: input(LinkPort),
    /** Software begins the link anew, also one that is down; LinkReceive has the same pulse. */
    restart: input(bit),
    lane0: sink(TxBeat),
    lane1: sink(TxBeat),
    room: output(bit),
    answer: input(LinkAnswer({})),
    told: output(LinkTold),
    acked: input(LinkAcked({})),
    full: input(uint(queueClasses)),
    pfc: input(PfcSeen),
    /** Classes that the partner has paused; none while the link is down. */
    paused: output(uint(pfcClasses)),
    tx: source(AxisBeat(beatBytes)),
    down: output(bit),
    /** Frames that are kept: not sent yet, on a reliable port not acknowledged. */
    kept: output(uint(keptBits)),
    events: output(TxEvents),
  }),
  (io, p) => {
    const ring = instance("ring", TxRing({ beats: p.beats, frames: p.frames, frameBytes: p.frameBytes })),
      { frames: most, resendCycles, tries, rounds, first } = p,
      window = instance(
        "window",
        LinkWindow({
          frames: most,
          placeBits: placeBits(p),
          resendCycles,
          tries,
          rounds,
          ...(first !== undefined && { first }),
        }),
      ),
      frames = instance("frames", TxFrames()),
      timers = instance("timers", PauseTimers()),
      pauses = instance("pauses", PauseSender({ pauseQuanta: p.pauseQuanta }));
    const { reliable } = io.config;

    connect(io.lane0, ring.lane0);
    connect(io.lane1, ring.lane1);
    connect(ring.out, frames.beats);
    connect(frames.tx, io.tx);
    ring.reliable.set(reliable);
    ring.hasPlace.set(window.hasPlace);
    ring.kept.set(window.kept);
    ring.tail.set(window.tail);
    ring.goesBack.set(window.goesBack.and(frames.idle));
    ring.from.set(window.from);
    ring.clear.set(window.clear);
    ring.drops.set(window.down);
    io.room.set(ring.room);

    window.reliable.set(reliable);
    window.restart.set(io.restart);
    window.committed.set(ring.committed);
    window.dropEnd.set(ring.wholeEnd);
    window.sent.set({ valid: frames.sent, end: ring.outEnd });
    window.idle.set(frames.idle);
    window.acked.set(io.acked);
    io.down.set(window.down);
    io.kept.set(window.kept.trunc(keptBits));

    frames.config.set(io.config);
    frames.down.set(window.down);
    frames.sequence.set(window.next);
    frames.goesBack.set(window.goesBack);
    frames.clear.set(window.clear);
    frames.answer.set(io.answer);
    frames.pause.set(pauses.wish);
    io.told.set(frames.told);

    pauses.full.set(io.full);
    pauses.sent.set(frames.paused);
    timers.pfc.set(io.pfc);
    io.paused.set(mux(window.down, constant(0, pfcClasses), timers.paused));

    const kept = node(mux(window.clear, window.kept.trunc(keptBits), constant(0, keptBits)), { name: "cleared" });
    io.events.set({
      done: window.done,
      lost: kept.add(ring.events.lost.zext(keptBits)),
      marked: ring.events.marked,
      long: ring.events.long,
      ...window.events,
      ...frames.events,
    });
  },
  {
    nameOf: p =>
      `TxPort_b${p.beats}_f${p.frames}_u${p.frameBytes}_t${p.resendCycles}_n${p.tries}_r${p.rounds}_q${p.pauseQuanta}${numbersName(p)}`,
  },
);
