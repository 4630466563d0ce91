/** The link of a port: its reference model. */
export { ahead, LinkReceiverModel, type LinkRefusal, type SeenFrame } from "./receiver.ts";
export { LinkLine, withoutLinkShim } from "./line.ts";
