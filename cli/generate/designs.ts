import type { NodeConfig } from "../../designs/clio/config/index.ts";
import { Counter, Mac, PacketArbiter, RegisterSlice } from "../../docs/examples/index.ts";
import { UsageError } from "../usage-error.ts";
import { emit, Fifo, uint, type EmittedDesign } from "../../hdl-dsl/index.ts";

/** A design that is generated, and the folder under generated/ for its files. */
export interface GeneratedDesign { readonly folder: string; readonly emitted: EmittedDesign }

/** Five small modules, to show and to try the language by. */
export function library(): readonly GeneratedDesign[] {
  return [emit(Counter({ width: 8 })), emit(Mac()), emit(Fifo({ shape: uint(64), depth: 16 })), emit(RegisterSlice({ width: 64 })), emit(PacketArbiter())]
    .map((emitted) => ({ folder: "library", emitted }));
}

/** The node for a configuration. */
export function node(_config: NodeConfig): EmittedDesign {
  throw new UsageError("the node's hardware is not in this version");
}

/** Everything that is generated, the node in the given configuration. */
export function designs(_config: NodeConfig): readonly GeneratedDesign[] { return library(); }
