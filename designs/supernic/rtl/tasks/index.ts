/** Network tasks: the interface to their wrappers, and the tasks themselves. */
export * from "./interface.ts";
export { decrypt, encrypt } from "./aes/index.ts";
export { balancer } from "./balancer.ts";
export { checksum } from "./checksum.ts";
export { delay, type DelayParameters } from "./delay.ts";
export { dummy } from "./dummy.ts";
export { firewall } from "./firewall.ts";
export { gcmOpen, gcmSeal } from "./gcm/index.ts";
export { gbnTaskDefaults, type GbnTaskParameters, GoBackN, goBackN } from "./go-back-n/index.ts";
export { kvCache } from "./kv-cache/index.ts";
export * from "./make.ts";
export * from "./memory.ts";
export { nat } from "./nat.ts";
export * from "./payload.ts";
export { replicate } from "./replicate/index.ts";
export * from "./state.ts";
export { tunnel } from "./tunnel.ts";
export { xor } from "./xor.ts";
