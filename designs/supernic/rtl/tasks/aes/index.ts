/** AES: rounds, key expansion, counter mode. */
export { blockNumberBits, CounterMode, lanes, StreamAsk } from "./counter-mode.ts";
export { decrypt, encrypt } from "./ctr.ts";
export { nonces } from "./nonces.ts";
export { blockBits } from "./round.ts";
export { CipherKey, KeyExpansion, RoundKey } from "./keys.ts";
