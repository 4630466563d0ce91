/** The ports of the intake, and the request as it leaves it. */
import { bit, input, type Inside, output, sink, source, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { BodyBeat, OffloadRequest } from "../../../offload/index.ts";
import { Take, Taken } from "../allocator/ports.ts";
import { bucketBits } from "../layout.ts";
import { MemoryBeat, ReplyBeat } from "../merged.ts";
import { blockBits, type KvParameters, sizeBits } from "../parameters.ts";

/**
 * The request, kept by context until it is answered. `block`: of create and update, where the new pair
 * is being written.
 */
export const Asked = (p: KvParameters) =>
  struct({
    kind: uint(2),
    /** With a delete: any key of the process goes, in this bucket; the host asked for all of them. */
    any: bit,
    user: uint(8),
    pid: uint(16),
    key: uint(64),
    size: uint(sizeBits),
    block: uint(blockBits),
    bucket: uint(bucketBits(p)),
    fingerprint: uint(8),
  });

export const intakePorts = (p: KvParameters) => {
  const context = uint(Math.log2(p.contexts));
  return {
    request: sink(OffloadRequest(p)),
    requestData: sink(BodyBeat(p)),
    take: source(Take(p)),
    taken: sink(Taken(p)),
    memory: source(MemoryBeat(p)),
    reply: source(ReplyBeat(p)),
    enter: output(struct({ valid: bit, context, bucket: uint(bucketBits(p)), writes: bit })),
    asked: output(Asked(p)),
    table: output(uint(blockBits)),
    /** The end of a delete of any key: OK when there was one, FAIL when there was none. */
    swept: input(struct({ valid: bit, code: uint(4) })),
    /** A request that writes may come in, and does so with `enter`. */
    credit: input(bit),
    /** Key of the hash. */
    secret: input(uint(64)),
  };
};
/** The ports as the module's body sees them. */
export type IntakeIo = Inside<ReturnType<typeof intakePorts>>;
