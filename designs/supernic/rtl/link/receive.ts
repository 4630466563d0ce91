import { bit, input, module, output } from "../../../../hdl-dsl/index.ts";
import { LinkSeen } from "../inside/index.ts";
import { LinkAcked, LinkAnswer, type LinkReceiveParameters, LinkRefused, LinkTold } from "./records.ts";

/** Ports only: the body comes next. */
export const LinkReceive = module(
  "LinkReceive",
  (_p: LinkReceiveParameters) => ({
    reliable: input(bit),
    /** Of TxPort: the link is down. */
    down: input(bit),
    /** Software begins the link anew; TxPort has the same pulse. */
    restart: input(bit),
    seen: input(LinkSeen),
    accept: output(bit),
    answer: output(LinkAnswer),
    told: input(LinkTold),
    acked: output(LinkAcked),
    refused: output(LinkRefused),
  }),
  io => {
    io.accept.set(io.seen.valid.and(io.seen.good).and(io.seen.room.or(io.seen.wantsRoom.not())));
    io.answer.set({ expected: 0, ack: 0, nack: 0 });
    io.acked.set({ valid: 0, number: 0, nack: 0 });
    io.refused.set({ room: 0, ahead: 0, behind: 0, bad: 0, down: 0 });
  },
  { nameOf: p => `LinkReceive_e${p.ackEvery}_c${p.ackCycles}` },
);
