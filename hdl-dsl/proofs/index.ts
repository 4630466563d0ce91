/** Proofs of the library: harnesses for `mnemo prove`. */
import { adapterProofs } from "./adapters.ts";
import { arithmeticProofs } from "./arithmetic/index.ts";
import { arbiterProofs } from "./arbiters.ts";
import { asyncFifoProofs } from "./async-fifo.ts";
import { outstandingProof } from "./axi/outstanding.ts";
import { axiRegisterProofs } from "./axi/register.ts";
import { camProofs } from "./cam.ts";
import { combinatorProofs } from "./combinators.ts";
import { encoderProofs } from "./encoders.ts";
import { flowProofs } from "./harness/flow.ts";
import { forkProofs } from "./forks.ts";
import { interconnectProofs } from "./interconnect/index.ts";
import { ioProofs } from "./io/index.ts";
import { lfsrProofs } from "./lfsr.ts";
import { lruProofs } from "./lru.ts";
import { packetFifoProofs } from "./packet-fifo.ts";
import { packetProofs } from "./packets.ts";
import { pipelineProofs } from "./pipelines.ts";
import type { Proof } from "./harness/proof.ts";
import { queueProofs } from "./queues.ts";
import { registerSlaveProofs } from "./register-slave.ts";
import { stageProofs } from "./stages.ts";
import { sumProofs } from "./sums.ts";
import { synchroniserProofs } from "./synchronisers.ts";

export { lruHarness } from "./lru.ts";
export type { Fault, Proof } from "./harness/proof.ts";

/** Every proof of the stream units and library modules. */
export const libraryProofs: readonly Proof[] = [
  ...stageProofs,
  ...pipelineProofs,
  ...combinatorProofs,
  ...forkProofs,
  ...arbiterProofs,
  ...queueProofs,
  ...adapterProofs,
  ...encoderProofs,
  ...camProofs,
  ...lruProofs,
  ...lfsrProofs,
  ...packetProofs,
  ...packetFifoProofs,
  ...flowProofs,
  ...asyncFifoProofs,
  ...synchroniserProofs,
  ...sumProofs,
  ...registerSlaveProofs,
  ...axiRegisterProofs,
  outstandingProof,
  ...interconnectProofs,
];
/** Harnesses that no run has decided yet: they claim nothing. `mnemo prove <their file>` tries them. */
export const undecidedProofs: readonly Proof[] = [...ioProofs, ...arithmeticProofs];
export { axi4MasterObeys, type Axi4Rules, axi4SlaveObeys, type Axi4Traffic, busOf } from "./axi/axi4-rules.ts";
export { liteMasterObeys, type LiteRules, liteSlaveObeys } from "./axi/lite-rules.ts";
export { offersWithin } from "./axi/promptly.ts";
export { around } from "./harness/around.ts";
export { moduleObeys, producerObeys, type Watched } from "./harness/rules.ts";
export { isQueue, type ShadowOptions } from "./harness/shadow.ts";
