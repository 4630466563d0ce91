/** The LRU list of the TLB: a permutation at all times (its own assertion), and its last is the one that was touched longest ago. */
import { lruHarness, type Proof } from "../../../hdl-dsl/index.ts";
import { Lru } from "./lru.ts";

export const lruProof: Proof = {
  module: "the TLB's Lru, 4 entries", harness: lruHarness("TlbLruProof", 4, Lru({ entries: 4 })),
  faults: [
    { what: "a touch of the most recent pushes the oldest out", from: "(here_2 | here_1 | here_0)", to: "(here_2 | here_1)" },
    { what: "a touch that is not valid counts", from: "else if (touch_valid)", to: "else" },
  ],
};
