/** AES: rounds, key expansion, counter mode. */
export { blockNumberBits, CounterMode, lanes, nonceBits, StreamAsk } from "./counter-mode.ts";
export { decrypt, encrypt } from "./ctr.ts";
export { bodyAt, declared, type Direction, holds } from "./directions.ts";
export { look, Looked, Said } from "./look.ts";
export { nonces, turned } from "./nonces.ts";
export { blockBits } from "./round.ts";
export { CipherKey, KeyExpansion, RoundKey } from "./keys.ts";
export { KeyDone, keyRows } from "./rows.ts";
