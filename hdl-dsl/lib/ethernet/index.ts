/** Ethernet: what sends and receives frames on a line, and MACs around them with stores and clock crossings. */
export { GmiiReceiver, type ReceiverParameters } from "./gmii-receive.ts";
export { Gmii, GmiiTransmitter } from "./gmii-transmit.ts";
export { MacCounts, Rgmii, RgmiiMac, XgmiiMac, type EthernetMacParameters } from "./mac.ts";
export { lineBeat, Received, type LineBeat } from "./frame.ts";
export { Xgmii } from "./xgmii.ts";
export { XgmiiReceiver } from "./xgmii-receive.ts";
export { XgmiiTransmitter } from "./xgmii-transmit.ts";
