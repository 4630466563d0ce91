/** The ports of net_rx. */
import { bit, input, type Inside, output, sink, source, uint } from "../../../../../hdl-dsl/index.ts";
import { AxisBeat, BufferWrite, Release, slotBits, WordWrite } from "../../../../shared/frame/index.ts";
import { NetConfig, NetRequest, operandBits } from "../../records/records.ts";
import { DropPulses } from "../drops.ts";
import { ContextWrite } from "../reply-contexts.ts";
import { keyBits, KeyRead } from "../process-keys.ts";
import type { NetRxParameters } from "./records.ts";

const keyPorts = { keyRead: output(KeyRead), key: input(uint(keyBits)), keysClearing: input(bit) };

export const netRxPorts = (p: NetRxParameters) => ({
  rx: sink(AxisBeat(p.beatBytes)),
  slot: sink(uint(slotBits(p))),
  config: input(NetConfig),
  bufferWrite: output(BufferWrite(p)),
  contextWrite: output(ContextWrite(p)),
  request: source(NetRequest(p)),
  operandsWrite: output(WordWrite({ slots: p.slots, width: operandBits })),
  release: output(Release(p)),
  drops: output(DropPulses),
  received: output(bit),
  ...(p.keys === true ? keyPorts : ({} as typeof keyPorts)),
});
/** The ports as the module's body sees them. */
export type NetRxIo = Inside<ReturnType<typeof netRxPorts>>;
