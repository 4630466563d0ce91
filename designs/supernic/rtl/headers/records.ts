/** What goes into the header store and comes out. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { contextBits, contextCountBits, copiesBits, type PoolParameters, poolUserBits } from "./context-pool.ts";

/** Bytes of a header: a beat. */
export const headerBytes = 64;

type Contexts = Pick<PoolParameters, "contexts">;

/** A header that comes in. */
export const Entry = (p: PoolParameters) =>
  struct({
    header: uint(headerBytes * 8),
    user: uint(poolUserBits(p)),
    /** Contexts beside its own: the same header for each. */
    copies: uint(copiesBits),
    /** Contexts that must be left free when it is in. */
    keep: uint(contextCountBits(p)),
  });
/** A context that it has got; `last`: of its copies too. */
export const Entered = (p: Contexts) => struct({ ctx: uint(contextBits(p)), last: bit });
/** Bytes of a header that come back: those that `mask` has. */
export const HeaderBack = (p: Contexts) =>
  struct({ ctx: uint(contextBits(p)), header: uint(headerBytes * 8), mask: uint(headerBytes) });
export const HeaderJob = (p: Contexts) => struct({ ctx: uint(contextBits(p)) });
export const HeaderRead = (p: Contexts) => struct({ ctx: uint(contextBits(p)), header: uint(headerBytes * 8) });
