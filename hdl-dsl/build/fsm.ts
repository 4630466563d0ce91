/** Finite state machines: states by name, one handler each. */
import type { Signal, Stmt, Switch } from "../ir/circuit.ts";
import * as make from "../ir/fold.ts";
import type { Bit } from "../types/value.ts";
import { runBodyIn } from "./body.ts";
import { context, report } from "./context.ts";
import { chooseName, makeSignal } from "./declare.ts";
import { userPosition } from "./position.ts";
import { didYouMean } from "./suggest.ts";
import { assign, bitOf } from "./value.ts";

export interface FsmControl<N extends string> {
  /** The next state. */
  readonly go: (state: N) => void;
  /** Whether the machine is in a state now. */
  readonly is: (state: N) => Bit;
}

/**
 * A machine over named states, binary-coded in the order given, starting in `init`. `body` returns one handler
 * for each state: its assignments take effect while the machine is in that state. Returns `is`, to look at the
 * state from outside.
 */
export function fsm<const N extends string>(
  states: readonly N[],
  init: NoInfer<N>,
  body: (s: FsmControl<N>) => { readonly [K in N]: () => void },
  o: { readonly name?: string } = {},
): Pick<FsmControl<N>, "is"> {
  const c = context(),
    position = userPosition();
  c.domains.add(c.domain);
  const width = Math.max(1, Math.ceil(Math.log2(states.length)));
  const code = (s: N): bigint => BigInt(Math.max(0, states.indexOf(s)));
  const label = (s: N): ReturnType<typeof make.constant> => make.constant(code(s), width, false, s);
  const state = makeSignal({
    kind: "reg",
    name: chooseName(o.name, "state", position),
    width,
    signed: false,
    domain: c.domain,
    position,
    init: code(init),
    states,
  } satisfies Omit<Signal, "name"> & { name: string });
  const known = (s: string): s is N => {
    if ((states as readonly string[]).includes(s)) return true;
    report(
      "HDL117",
      `\`${state.signal.name}\` has no state ${s}`,
      `${didYouMean(s, states)}Its states are ${states.join(", ")}`,
      position,
    );
    return false;
  };
  const control: FsmControl<N> = {
    go: s => {
      if (known(s)) assign(state.signal, 0, label(s));
    },
    is: s => {
      known(s);
      return bitOf(make.binary("eq", make.read(state.signal), label(s)));
    },
  };
  const handlers = body(control);
  const cases: { labels: ReturnType<typeof make.constant>[]; body: Stmt[] }[] = [];
  const s: Switch = { kind: "switch", on: make.read(state.signal), cases, otherwise: undefined, position };
  c.block.push(s);
  for (const n of states) {
    const one = { labels: [label(n)], body: [] as Stmt[] };
    cases.push(one);
    const handler = (handlers as Readonly<Record<string, (() => void) | undefined>>)[n];
    if (handler === undefined)
      report(
        "HDL117",
        `state ${n} of \`${state.signal.name}\` has no handler`,
        "Give every state a handler, an empty one where nothing is to be done",
        position,
      );
    else runBodyIn(one.body, `the handler of state ${n}`, handler);
  }
  return { is: control.is };
}
