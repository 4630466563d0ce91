/** The ports of the engine. */
import { bit, input, type Inside, output, sink, source, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { Give, Take, Taken } from "../allocator/ports.ts";
import { Asked } from "../intake/ports.ts";
import { MemoryBeat, ReplyBeat } from "../merged.ts";
import { blockBits, type KvParameters } from "../parameters.ts";
import { MemoryDone, MemoryEvent } from "../replies.ts";

export const enginePorts = (p: KvParameters) => {
  const context = uint(Math.log2(p.contexts));
  return {
    start: sink(context),
    event: input(MemoryEvent),
    done: output(MemoryDone(p)),
    take: source(Take(p)),
    spare: sink(Taken(p)),
    give: source(Give),
    memory: source(MemoryBeat(p)),
    reply: source(ReplyBeat(p)),
    enter: input(struct({ valid: bit, context })),
    asked: input(Asked(p)),
    table: input(uint(blockBits)),
    leave: output(struct({ valid: bit, context })),
    /** The end of a delete of any key: it is not answered. */
    swept: output(struct({ valid: bit, code: uint(4) })),
    /** With `leave`: a block that could have been given back is not. */
    refund: output(bit),
  };
};
/** The ports as the module's body sees them. */
export type EngineIo = Inside<ReturnType<typeof enginePorts>>;
