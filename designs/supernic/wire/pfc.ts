/** Priority flow control (IEEE 802.1Qbb): a frame of MAC control that pauses classes, each for a time of its own. */
import { layout, num } from "../../shared/wire/index.ts";

/** Destination of MAC control: a bridge keeps it to itself. */
export const macControlAddress = 0x0180c2000001n;
/** The opcode of PFC; 1 is PAUSE, which stops the whole link and is not used here. */
export const pfcOpcode = 0x0101;
export const pfcClasses = 8;
/** A unit of time: 512 bits on the line, 5.12 ns at 100 Gbps. */
export const pfcQuantumBits = 512;

const time = num(16, "quanta of 512 bit times; 0: the class may send");
/** Behind the Ethernet header with EtherType 0x8808; the rest up to 60 bytes is 0. */
export const pfcHeader = layout("pfc", "PFC (EtherType 0x8808)", "be", {
  opcode: num(16, "0x0101", "hex"),
  reserved: num(8, "0", "hex"),
  enabled: num(8, "bit i: the time of class i counts", "hex"),
  time0: time,
  time1: time,
  time2: time,
  time3: time,
  time4: time,
  time5: time,
  time6: time,
  time7: time,
});
