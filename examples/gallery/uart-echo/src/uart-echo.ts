import { bit, connect, fifo, input, instance, module, output } from "mnemosyne";
import { type LineParameters, UartReceiver, UartTransmitter } from "./uart.ts";

export interface EchoParameters extends LineParameters {
  /** Bytes that wait when the other side sends faster than it listens. */
  readonly depth: number;
}

/**
 * Sends back what it receives, 8N1. The echo's start bit begins while the byte's stop bit is on the line. Two sides'
 * clocks differ, so `depth` bytes may wait; one more is dropped with a pulse of `lost`. A byte without a stop bit is
 * dropped with a pulse of `broken`.
 */
export const UartEcho = module(
  "UartEcho",
  (_p: EchoParameters) => ({ rx: input(bit), tx: output(bit), broken: output(bit), lost: output(bit) }),
  (io, { divisor, depth }) => {
    if (divisor < 4) throw new RangeError(`divisor = ${divisor}: a bit has 4 cycles or more`);
    const receiver = instance(UartReceiver({ divisor })),
      transmitter = instance(UartTransmitter({ divisor }));
    receiver.line.set(io.rx);
    connect(fifo(receiver.byte, depth), transmitter.byte);
    io.tx.set(transmitter.line);
    io.broken.set(receiver.broken);
    io.lost.set(receiver.lost);
  },
);
