/** Models of the network tasks, and of chains of them. */
export { decryptModel, encryptModel } from "./aes.ts";
export * from "./chain.ts";
export * from "./gcm.ts";
export { GbnJudge } from "./go-back-n/index.ts";
export * from "./nat.ts";
export { ReplicaModel } from "./replicate.ts";
export * from "./stateless.ts";
export * from "./task.ts";
export { KvJudge } from "./kv-judge.ts";
export { type KvAnswer, KvCacheModel, type KvPacket } from "./kv-cache.ts";
