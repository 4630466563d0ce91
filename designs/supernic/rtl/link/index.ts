/** The link of a port: which frames count, and what leaves. */
export { PauseSender, PauseTimers, quantaToCycles, refreshCycles } from "./pause.ts";
export { LinkReceive } from "./receive.ts";
export {
  LinkAcked,
  LinkAnswer,
  LinkPort,
  keptBits,
  type LinkReceiveParameters,
  LinkRefused,
  LinkTold,
  longestBeats,
  TxEvents,
  type TxPortParameters,
} from "./records.ts";
export { mostWaiting, TxRing } from "./ring.ts";
export { LinkWindow } from "./window.ts";
export { TxPort } from "./tx-port.ts";
