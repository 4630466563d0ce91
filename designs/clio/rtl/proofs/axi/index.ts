/** The node's AXI4 masters and slaves by the rules. */
import type { Proof } from "../../../../../hdl-dsl/index.ts";
import { accessReadProof } from "./access-read.ts";
import { entryExchangeAxiProof } from "./entry-exchange.ts";
import { syncUnitAxiProof } from "./sync-unit.ts";

export const nodeAxiProofs: readonly Proof[] = [accessReadProof, syncUnitAxiProof, entryExchangeAxiProof];
