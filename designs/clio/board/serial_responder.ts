import { bit, connect, input, instance, module, output, reg, uint, when } from "../../../hdl-dsl/index.ts";
import { Responder, type ResponderParameters } from "../rtl/index.ts";
import { FrameGuard } from "./frame_guard.ts";
import { SlipDecoder, SlipEncoder } from "./slip.ts";
import { UartRx, UartTx } from "./uart.ts";

export interface SerialResponderParameters extends ResponderParameters {
  /** Clock cycles of a bit on the serial line. */
  readonly divider: number;
}

/**
 * The node's network side behind a serial line: Ethernet frames without FCS, framed by SLIP, 8N1. What a small board without an Ethernet port can be pinged
 * through. Latency: that of the line, 10 bits a byte, and 13 cycles. Initiation interval: a byte a 10 bits. Full: the line cannot wait, so a frame that finds
 * all slots in use is cut and dropped as damaged. `busy`: slots in use; `lost`: a frame has been cut since reset.
 */
export const SerialResponder = module("SerialResponder",
  (p: SerialResponderParameters) => ({ line_in: input(bit), line_out: output(bit), busy: output(uint(p.slots)), lost: output(bit) }),
  (io, p) => {
    const receiver = instance(UartRx({ divider: p.divider })), sender = instance(UartTx({ divider: p.divider }));
    const decoder = instance(SlipDecoder({ beatBytes: p.beatBytes })), encoder = instance(SlipEncoder({ beatBytes: p.beatBytes }));
    const guard = instance(FrameGuard({ beatBytes: p.beatBytes }));
    const { divider: _, ...rest } = p;
    const responder = instance(Responder(rest));
    receiver.line.set(io.line_in);
    decoder.byte.set(receiver.byte);
    guard.from.set(decoder.beat);
    connect(guard.to, responder.rx);
    connect(responder.tx, encoder.from);
    connect(encoder.to, sender.byte);
    io.line_out.set(sender.line);
    io.busy.set(responder.busy);
    const lost = reg(bit, { init: 0 });
    when(guard.lost, () => { lost.set(1); });
    io.lost.set(lost);
  });
