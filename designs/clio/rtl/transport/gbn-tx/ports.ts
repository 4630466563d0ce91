/** The ports of the sending shim. */
import {
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  input,
  type Inside,
  output,
  sink,
  source,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../../shared/frame/index.ts";
import { Acknowledgement, Named, sessionBits, SessionControl } from "../../../../shared/go-back-n/rtl/index.ts";
import { GbnContextWrite } from "../gbn-rx/ports.ts";
import { GbnTxEvents, type GbnTxParameters } from "./records.ts";

export const gbnTxPorts = (p: GbnTxParameters) => ({
  rx: sink(AxisBeat(p.beatBytes)),
  tx: source(AxisBeat(p.beatBytes)),
  answers: sink(AxisBeat(p.beatBytes)),
  acks: sink(Acknowledgement(p)),
  control: sink(SessionControl(p)),
  failed: source(uint(sessionBits(p))),
  contextWrite: input(GbnContextWrite(p)),
  named: sink(Named(p)),
  crowded: output(bit),
  events: output(GbnTxEvents),
  memAw: source(axi4Address(p)),
  memW: source(axi4Write(p.beatBytes)),
  memB: sink(axi4Response(p)),
  memAr: source(axi4Address(p)),
  memR: sink(axi4Read(p)),
});
/** The ports as the module's body sees them. */
export type GbnTxIo = Inside<ReturnType<typeof gbnTxPorts>>;
