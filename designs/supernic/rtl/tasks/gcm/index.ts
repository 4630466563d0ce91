/** AES-GCM: GHASH, powers of hash keys, and the tasks. */
export { gcmOpen, gcmSeal } from "./gcm.ts";
export { Ghash, HashPower, hashLatency, HashWord } from "./ghash.ts";
export { HashPowers, powerCycles } from "./powers.ts";
