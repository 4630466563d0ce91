import type { Shape } from "../../hdl-dsl/index.ts";
import { type Bench, type InputOf, poke, type StreamIo } from "../../sim/index.ts";

/**
 * Drives one value by hand until it is taken or `limit` edges have gone by; valid is 0 afterwards. For benches that
 * then reset the design in the middle of its work.
 */
export async function offer<S extends Shape>(
  b: Pick<Bench, "risingEdge">,
  port: StreamIo<S, "in">,
  value: InputOf<S>,
  limit = 20,
): Promise<boolean> {
  poke(port.payload as never, value as never);
  port.valid.value = 1;
  for (let i = 0; i < limit; i++) {
    await b.risingEdge();
    if (port.ready.value !== 0) {
      port.valid.value = 0;
      return true;
    }
  }
  return false;
}
