/** Finite state machines: states by name, one handler each, with times and machines of their own. */
import type { Assign, If, Signal, Stmt, Switch } from "../ir/circuit.ts";
import * as make from "../ir/fold.ts";
import { codeOfState } from "../ir/states.ts";
import type { Bit } from "../types/value.ts";
import { runBodyIn } from "./body.ts";
import { underEnable } from "./clock-enable.ts";
import { context, report } from "./context.ts";
import { chooseName, makeSignal } from "./declare.ts";
import { codingOf, type FsmEncoding } from "./fsm-codes.ts";
import { StateTimer } from "./fsm-timer.ts";
import { userPosition } from "./position.ts";
import { when } from "./statements.ts";
import { didYouMean } from "./suggest.ts";
import { assign, bitOf } from "./value.ts";

/** Name and code of a state machine. */
export interface FsmOptions {
  /** Of the state register; default: that of the constant. */
  readonly name?: string;
  /** Default: `auto`. */
  readonly encoding?: FsmEncoding;
}

/** One handler for each state. */
export type FsmHandlers<N extends string> = { readonly [K in N]: () => void };

/** What a handler of a state machine does with it. */
export interface FsmControl<N extends string> {
  /** The next state. Where several are told in one cycle the last one counts. */
  readonly go: (state: N) => void;
  /** Whether the machine is in a state now. */
  readonly is: (state: N) => Bit;
  /** 1 from the cycle `n` (1 to 2^32) of the stay in a state on: a `go` under it leaves after `n` cycles or more. */
  readonly stayed: (n: number) => Bit;
  /** Goes to `state` after `n` cycles (1 to 2^32) in this one: the stay is at most that long. */
  readonly after: (n: number, state: N) => void;
  /**
   * Runs a machine within the state whose handler calls it: it starts in `init` each time that the state is entered.
   * When it says `done`, this machine goes to `next`. A `go` of this machine ends it too.
   */
  readonly run: <const M extends string>(
    states: readonly M[],
    init: NoInfer<M>,
    body: (m: InnerFsmControl<M>) => FsmHandlers<M>,
    next: N,
    o?: FsmOptions,
  ) => Pick<FsmControl<M>, "is">;
}

/** As `FsmControl`, within a state of another machine. */
export interface InnerFsmControl<N extends string> extends FsmControl<N> {
  /** Leaves the state that runs this machine. */
  readonly done: () => void;
}

/**
 * A machine over named states, coded in the order given, starting in `init`. `body` returns one handler for each
 * state: its assignments take effect while the machine is in that state. A stay in a state begins with each `go`, also
 * with one to the state itself. Returns `is`, to look at the state from outside.
 */
export function fsm<const N extends string>(
  states: readonly N[],
  init: NoInfer<N>,
  body: (s: FsmControl<N>) => FsmHandlers<N>,
  o: FsmOptions = {},
): Pick<FsmControl<N>, "is"> {
  const name = chooseName(o.name, "state", userPosition());
  return { is: new Machine(states, init, name, o.encoding ?? "auto", undefined).build(body).is };
}

/** Where a machine stands that a state of another one runs. */
interface Within {
  readonly leave: () => void;
}

/** What a machine knows of one that its state runs. */
interface Startable {
  readonly position: Assign["position"];
  readonly restarts: () => Stmt[];
}

class Machine<N extends string> {
  readonly state: Signal;
  readonly #states: readonly N[];
  readonly #within: Within | undefined;
  readonly #timer: StateTimer;
  /** Machines that states of this one run, with the state of each. */
  readonly #inner: { readonly state: N; readonly machine: Startable }[] = [];
  readonly #ends = new Set<Stmt>();
  readonly position = userPosition();
  #handled: N | undefined;

  constructor(states: readonly N[], init: N, name: string, encoding: FsmEncoding, within: Within | undefined) {
    const c = context(),
      coding = codingOf(states, encoding, name);
    c.domains.add(c.domain);
    this.#states = states;
    this.#within = within;
    this.state = makeSignal({
      kind: "reg",
      name,
      width: coding.width,
      signed: false,
      domain: c.domain,
      position: this.position,
      init: codeOfState(coding, Math.max(0, states.indexOf(init))),
      states,
      codes: coding.codes,
      attributes: coding.attributes,
    }).signal;
    underEnable(this.state);
    this.#timer = new StateTimer(name);
  }

  readonly #label = (s: N): ReturnType<typeof make.constant> =>
    make.constant(codeOfState(this.state, Math.max(0, this.#states.indexOf(s))), this.state.width, false, s);

  #known(s: string): s is N {
    if ((this.#states as readonly string[]).includes(s)) return true;
    report(
      "HDL117",
      `\`${this.state.name}\` has no state ${s}`,
      `${didYouMean(s, this.#states)}Its states are ${this.#states.join(", ")}`,
      this.position,
    );
    return false;
  }

  readonly is = (s: N): Bit => {
    this.#known(s);
    return bitOf(make.binary("eq", make.read(this.state), this.#label(s)));
  };

  readonly #go = (s: N): void => {
    if (this.#known(s)) assign(this.state, 0, this.#label(s));
  };

  #control(): InnerFsmControl<N> {
    return {
      go: this.#go,
      is: this.is,
      stayed: n => this.#timer.reached(n),
      after: (n, s) => {
        const over = this.#timer.reached(n);
        if (n === 1) this.#go(s);
        else
          when(over, () => {
            this.#go(s);
          });
      },
      run: (states, init, body, next, o = {}) => this.#run(states, init, body, next, o),
      done: () => {
        const { block } = context();
        if (this.#within === undefined) {
          report("HDL153", `\`${this.state.name}\` is no machine that a state runs`, "Go to one of its states");
          return;
        }
        const end = restart(this.state, this.position);
        this.#ends.add(end);
        block.push(end);
        this.#within.leave();
      },
    };
  }

  #run<M extends string>(
    states: readonly M[],
    init: M,
    body: (m: InnerFsmControl<M>) => FsmHandlers<M>,
    next: N,
    o: FsmOptions,
  ): Pick<FsmControl<M>, "is"> {
    const own = this.#handled;
    if (own === undefined)
      report(
        "HDL153",
        `\`${this.state.name}\` runs a machine outside of its states`,
        "Call run in the handler of the state that is to run it",
        this.position,
      );
    const name = chooseName(o.name, `${this.state.name}_in_${own ?? "none"}`, userPosition());
    const machine = new Machine(states, init, name, o.encoding ?? "auto", { leave: () => this.#go(next) });
    if (own !== undefined) this.#inner.push({ state: own, machine });
    return { is: machine.build(body).is };
  }

  build(body: (s: InnerFsmControl<N>) => FsmHandlers<N>): this {
    const c = context(),
      position = this.position,
      { block } = c,
      start = block.length;
    const handlers = body(this.#control());
    const cases: { labels: ReturnType<typeof make.constant>[]; body: Stmt[] }[] = [];
    const all: Switch = { kind: "switch", on: make.read(this.state), cases, otherwise: undefined, position };
    block.push(all);
    for (const n of this.#states) {
      const one = { labels: [this.#label(n)], body: [] as Stmt[] };
      cases.push(one);
      const handler = (handlers as Readonly<Record<string, (() => void) | undefined>>)[n];
      this.#handled = n;
      if (handler === undefined)
        report(
          "HDL117",
          `state ${n} of \`${this.state.name}\` has no handler`,
          "Give every state a handler, an empty one where nothing is to be done",
          position,
        );
      else runBodyIn(one.body, `the handler of state ${n}`, handler);
      this.#handled = undefined;
    }
    this.#complete(block, start);
    return this;
  }

  /** What comes before the handlers, and what comes with every `go`: known when all of them have run. */
  #complete(block: Stmt[], start: number): void {
    const timer = this.#timer.make();
    const holds = this.#inner.map(({ state, machine }): If => ({
      kind: "if",
      cond: make.binary("ne", make.read(this.state), this.#label(state)),
      then: machine.restarts(),
      otherwise: [],
      position: machine.position,
    }));
    const own = block.slice(start);
    if (timer !== undefined || this.#ends.size > 0) this.#afterEach(own);
    block.splice(start, own.length, ...(timer === undefined ? [] : timer.counts), ...holds, ...own);
  }

  /** Puts the timer's start behind each `go`, and the start of inner machines behind each `done`. */
  #afterEach(body: Stmt[]): void {
    for (let i = 0; i < body.length; i++) {
      const s = body[i] as Stmt;
      if (s.kind === "assign" && s.target === this.state) {
        const more = [
          ...this.#timer.restarts(s.position),
          ...(this.#ends.has(s) ? this.#inner.flatMap(n => n.machine.restarts()) : []),
        ];
        body.splice(i + 1, 0, ...more);
        i += more.length;
      } else if (s.kind === "if") {
        this.#afterEach(s.then);
        this.#afterEach(s.otherwise);
      } else if (s.kind === "switch") {
        for (const one of s.cases) this.#afterEach(one.body);
        if (s.otherwise !== undefined) this.#afterEach(s.otherwise);
      }
    }
  }

  /** The machine as it begins, with all that its states run. */
  restarts(): Stmt[] {
    return [
      restart(this.state, this.position),
      ...this.#timer.restarts(this.position),
      ...this.#inner.flatMap(n => n.machine.restarts()),
    ];
  }
}

const restart = (state: Signal, position: Assign["position"]): Assign => ({
  kind: "assign",
  target: state,
  lo: 0,
  width: state.width,
  value: stateConstant(state),
  position,
});

function stateConstant(state: Signal): ReturnType<typeof make.constant> {
  const at = (state.states ?? []).findIndex((_, n) => codeOfState(state, n) === state.init);
  return make.constant(state.init ?? 0n, state.width, false, state.states?.[at]);
}
