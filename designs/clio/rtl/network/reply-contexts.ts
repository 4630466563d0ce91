import { bit, input, module, output, ram, struct, uint } from "../../../../hdl-dsl/index.ts";
import { ReplyContext } from "../records/records.ts";
import { slotBits } from "../../../shared/frame/index.ts";

/** A context to be kept: always taken. */
export const ContextWrite = (p: { readonly slots: number }) =>
  struct({ en: bit, slot: uint(slotBits(p)), value: ReplyContext });
/** Request to read the context of a slot. */
export const ContextRead = (p: { readonly slots: number }) => struct({ en: bit, slot: uint(slotBits(p)) });

/**
 * The reply contexts of all slots in block memory: written by net_rx, read by net_tx. Latency: `value` is the context
 * of the slot that `read.en` named in the cycle before, and stays until the next `read.en`. Initiation interval 1. A
 * context must be written at least one cycle before it is read. That holds here: a request is at least a cycle old when
 * its reply begins.
 */
export const ReplyContexts = module(
  "ReplyContexts",
  (p: { slots: number }) => ({
    write: input(ContextWrite(p)),
    read: input(ContextRead(p)),
    value: output(ReplyContext),
  }),
  (io, p) => {
    const contexts = ram(ReplyContext, { depth: p.slots, collision: "undefined", style: "block" });
    contexts.write(io.write.en, io.write.slot, io.write.value);
    const found = contexts.readSync(io.read.slot, { en: io.read.en });
    io.value.set(found);
  },
);
