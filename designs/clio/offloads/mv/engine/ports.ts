/** The ports of the engine. */
import { bit, input, type Inside, output, sink, source, uint } from "../../../../../hdl-dsl/index.ts";
import { BodyBeat, MemoryReply, OrderEnter, OrderLeave } from "../../../offload/index.ts";
import { Asked, contextBits, Entry, type MultiVersionParameters, MvAnswer, orderOf, Wanted } from "../types.ts";

export const enginePorts = (p: MultiVersionParameters) => ({
  asked: sink(Asked(p)),
  enter: output(OrderEnter(orderOf(p))),
  leave: output(OrderLeave(p)),
  start: sink(uint(contextBits(p))),
  memoryReply: sink(MemoryReply),
  data: sink(BodyBeat(p)),
  wanted: source(Wanted(p)),
  answer: source(MvAnswer(p)),
  copied: input(bit),
  entryContext: input(uint(contextBits(p))),
  entry: output(Entry(p)),
});
/** The ports as the module's body sees them. */
export type EngineIo = Inside<ReturnType<typeof enginePorts>>;
