import { bit, input, module, output, sink, source, uint } from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { beatBytes, PfcSeen, queueClasses, TxBeat } from "../inside/index.ts";
import { LinkAcked, LinkAnswer, LinkPort, LinkTold, TxEvents, type TxPortParameters } from "./records.ts";

/** Ports only: the body comes next. */
export const TxPort = module(
  "TxPort",
  (_p: TxPortParameters) => ({
    config: input(LinkPort),
    /** Software begins the link anew, also one that is down; LinkReceive has the same pulse. */
    restart: input(bit),
    lane0: sink(TxBeat),
    lane1: sink(TxBeat),
    room: output(bit),
    answer: input(LinkAnswer),
    told: output(LinkTold),
    acked: input(LinkAcked),
    full: input(uint(queueClasses)),
    pfc: input(PfcSeen),
    /** Classes that the partner has paused. */
    paused: output(uint(8)),
    tx: source(AxisBeat(beatBytes)),
    down: output(bit),
    events: output(TxEvents),
  }),
  io => {
    const { data, keep, last, user } = io.lane0.payload;
    io.tx.valid.set(io.lane0.valid);
    io.tx.payload.set({ data, keep, last, user });
    io.lane0.ready.set(io.tx.ready);
    io.lane1.ready.set(0);
    io.room.set(1);
    io.told.set({ ack: 0, nack: 0 });
    io.paused.set(0);
    io.down.set(0);
    io.events.set({
      done: 0,
      lost: 0,
      marked: 0,
      long: 0,
      falseAck: 0,
      nacked: 0,
      timedOut: 0,
      ackSent: 0,
      nackSent: 0,
      pfcSent: 0,
    });
  },
  {
    nameOf: p =>
      `TxPort_b${p.beats}_f${p.frames}_u${p.frameBytes}_t${p.resendCycles}_n${p.tries}_r${p.rounds}_q${p.pauseQuanta}`,
  },
);
