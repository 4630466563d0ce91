/** What the steps of the engine share. */
import type { FsmControl } from "../../../../../hdl-dsl/index.ts";
import type { KvParameters } from "../parameters.ts";
import { judge } from "./judge.ts";
import { ordersOf } from "./orders.ts";
import type { EngineIo } from "./ports.ts";
import { nextOf, slotOf, stateOf } from "./state.ts";

export function partsOf(io: EngineIo, p: KvParameters) {
  const state = stateOf(io, p),
    slot = slotOf(io, state),
    orders = ordersOf();
  return { io, p, state, slot, orders, verdict: judge(state), next: nextOf(io, state) };
}
export type Parts = ReturnType<typeof partsOf>;

export const states = ["idle", "look", "pick", "act", "join"] as const;
export type Control = FsmControl<(typeof states)[number]>;
