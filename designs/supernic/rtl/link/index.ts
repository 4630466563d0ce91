/** The link of a port: which frames count, and what leaves. */
export { LinkReceive } from "./receive.ts";
export {
  LinkAcked,
  LinkAnswer,
  LinkPort,
  keptBits,
  type LinkReceiveParameters,
  LinkRefused,
  LinkTold,
  TxEvents,
  type TxPortParameters,
} from "./records.ts";
export { TxPort } from "./tx-port.ts";
