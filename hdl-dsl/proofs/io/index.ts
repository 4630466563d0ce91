/** What stands at the edge of a chip: timers, interrupts, serial lines. */
import type { Proof } from "../harness/proof.ts";
import { interruptProof } from "./interrupts.ts";
import { spiMasterProof } from "./spi-master.ts";
import { timerProof } from "./timer.ts";
import { uartProofs } from "./uart.ts";

/** Every proof of this group. */
export const ioProofs: readonly Proof[] = [...uartProofs, timerProof, interruptProof, spiMasterProof];
