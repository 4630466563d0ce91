/** Tables and nonces of the cipher tasks. */
export * from "./aes.ts";
