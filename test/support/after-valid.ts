import type { Pause } from "../../sim/index.ts";

/**
 * The pause of a taker that is ready only after it has seen a valid, which is legal: whoever waits with its valid for a
 * ready, or with something else for the ready of a stream on which it offers nothing, waits for ever.
 */
export const afterValid =
  (port: { readonly valid: { readonly value: number | bigint } }): Pause =>
  () =>
    port.valid.value === 0;
