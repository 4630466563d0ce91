import type { Operation, Specification } from "./history.ts";

export type Verdict =
  | { readonly kind: "linearizable"; readonly objects: number; readonly operations: number; readonly steps: number }
  /** `why` names the object and the operation that no order explains. */
  | { readonly kind: "notLinearizable"; readonly object: string; readonly why: string }
  /** The search was given up: neither proved nor refuted. */
  | { readonly kind: "undecided"; readonly object: string; readonly steps: number };

/** Steps of the search of one object after which it is given up. */
const defaultSteps = 10_000_000;

/**
 * Whether the operations on each object could have been done one after another, each between its call and its return,
 * with their outputs. This is the search of Wing and Gong with Lowe's memory of the states that have been tried. It
 * works object by object, as linearizability is local.
 */
export function checkLinearizable<S, I, O>(
  history: readonly Operation<I, O>[],
  specification: Specification<S, I, O>,
  { steps = defaultSteps }: { readonly steps?: number } = {},
): Verdict {
  const objects = new Map<string, Operation<I, O>[]>();
  for (const o of history) {
    const list = objects.get(o.object);
    if (list) list.push(o);
    else objects.set(o.object, [o]);
  }
  let all = 0;
  for (const [object, operations] of objects) {
    const search = new Search(operations, specification, steps),
      found = search.run();
    all += search.steps;
    if (found === "undecided") return { kind: "undecided", object, steps: search.steps };
    if (found === "no") return { kind: "notLinearizable", object, why: search.explain() };
  }
  return { kind: "linearizable", objects: objects.size, operations: history.length, steps: all };
}

/**
 * A call or a return in the order of time. The list is doubly linked, so that an operation is taken out and put back
 * in constant time.
 */
interface Event<I, O> {
  readonly operation: Known<I, O>;
  readonly isCall: boolean;
  previous: Event<I, O> | undefined;
  next: Event<I, O> | undefined;
}
/** An operation whose output is known: it must be done between its call and its return. */
interface Known<I, O> {
  readonly index: number;
  readonly of: Operation<I, O>;
  call: Event<I, O>;
  return: Event<I, O>;
}
/**
 * One whose outcome is not known: it may be done at any time from its call to `until`, or never. `kind`: those with the
 * same do the same.
 */
interface Open<I, O> {
  readonly of: Operation<I, O>;
  readonly kind: string;
  readonly until: number;
  done: boolean;
}
/** A step of the order under trial, and what was tried and how late it was when it was taken. */
type Step<S, I, O> = { readonly before: S; readonly now: number } & (
  { readonly known: Known<I, O> } | { readonly open: number }
);

class Search<S, I, O> {
  steps = 0;
  private readonly specification: Specification<S, I, O>;
  private readonly limit: number;
  private readonly known: readonly Known<I, O>[];
  /** In the order of their calls. */
  private readonly open: readonly Open<I, O>[];
  /** The latest `until` of the open operations up to each. */
  private readonly latest: readonly number[];
  private readonly head: Event<I, O>;
  private readonly done: boolean[];
  /** All known operations below this are done. */
  private base = 0;
  private left: number;
  /** The latest call of the operations done: the next one is done no earlier. */
  private now = Number.NEGATIVE_INFINITY;
  /** States that have been reached, and the open operations that had been done for each. */
  private readonly tried = new Map<string, (readonly number[])[]>();
  /** The longest order found, when the search fails: how many were left, and which could not follow. */
  private best: { readonly left: number; readonly state: S; readonly stuck: readonly Operation<I, O>[] } | undefined;

  constructor(operations: readonly Operation<I, O>[], specification: Specification<S, I, O>, limit: number) {
    this.specification = specification;
    this.limit = limit;
    const sorted = operations.toSorted((a, b) => a.called - b.called || a.returned - b.returned);
    this.known = sorted.filter(o => Number.isFinite(o.returned)).map((of, index) => ({ index, of }) as Known<I, O>);
    this.open = sorted
      .filter(o => !Number.isFinite(o.returned))
      .map(of => ({
        of,
        kind: specification.describe(of.input, undefined),
        until: of.until ?? Number.POSITIVE_INFINITY,
        done: false,
      }));
    let latest = Number.NEGATIVE_INFINITY;
    this.latest = this.open.map(o => (latest = Math.max(latest, o.until)));
    this.done = this.known.map(() => false);
    this.left = this.known.length;
    const events = this.known.flatMap(operation => {
      operation.call = { operation, isCall: true, previous: undefined, next: undefined };
      operation.return = { operation, isCall: false, previous: undefined, next: undefined };
      return [operation.call, operation.return];
    });
    // Returns after calls of the same time: operations that touch are concurrent.
    const time = (e: Event<I, O>): number => (e.isCall ? e.operation.of.called : e.operation.of.returned);
    events.sort((a, b) => {
      const x = time(a),
        y = time(b);
      return x === y ? Number(b.isCall) - Number(a.isCall) : x - y;
    });
    // A cast, for the head stands before all events, belongs to no operation and is never asked for one.
    this.head = { operation: undefined as never, isCall: false, previous: undefined, next: events[0] };
    events.forEach((e, i) => {
      e.previous = events[i - 1] ?? this.head;
      e.next = events[i + 1];
    });
  }

  /**
   * At each state the known operations that may be next come first, in the order of their calls. The open ones are
   * tried only where these do not lead on.
   */
  run(): "yes" | "no" | "undecided" {
    const order: Step<S, I, O>[] = [];
    let state = this.specification.initial,
      event = this.head.next,
      open = this.firstOpen();
    while (this.left > 0) {
      if (++this.steps > this.limit) return "undecided";
      const before = { before: state, now: this.now };
      let step: Step<S, I, O> | undefined, after: { readonly state: S } | undefined;
      if (event?.isCall === true) {
        const { operation } = event;
        after = this.specification.apply(state, operation.of.input, operation.of.output);
        if (after !== undefined) step = { ...before, known: operation };
        event = event.next;
      } else if ((open = this.nextOpen(open)) < this.open.length) {
        after = this.specification.apply(state, (this.open[open] as Open<I, O>).of.input, undefined);
        // One that changes nothing leads nowhere.
        if (after !== undefined && this.specification.key(after.state) !== this.specification.key(state))
          step = { ...before, open };
        open++;
      } else {
        // Something has to be done before this return, and nothing can: another order.
        this.remember(state);
        const last = order.pop();
        if (last === undefined) return "no";
        state = last.before;
        this.undo(last);
        if ("known" in last) {
          event = last.known.call.next;
          open = this.firstOpen();
        } else {
          event = undefined;
          open = last.open + 1;
        }
        continue;
      }
      if (step === undefined || after === undefined) continue;
      this.take(step);
      if (this.wasTried(after.state)) {
        this.undo(step);
        continue;
      }
      order.push(step);
      ({ state } = after);
      event = this.head.next;
      open = this.firstOpen();
    }
    return "yes";
  }

  /** The first open operation that may not be too late, by binary search: none before it can be done any more. */
  private firstOpen(): number {
    let low = 0,
      high = this.open.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.latest[middle] as number) >= this.now) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  /**
   * From `at` on the first open operation that may be next; their number when there is none. Of those that do the same
   * the one that must be done first stands for all.
   */
  private nextOpen(at: number): number {
    const horizon = this.horizon(),
      first = this.firstOpen();
    for (let i = at; i < this.open.length && (this.open[i] as Open<I, O>).of.called <= horizon; i++) {
      if (!this.mayBeDone(i)) continue;
      const { kind, until } = this.open[i] as Open<I, O>;
      let stands = true;
      for (let k = first; k < this.open.length && stands; k++) {
        const other = this.open[k] as Open<I, O>;
        if (other.of.called > horizon) break;
        if (other.kind === kind && k !== i && this.mayBeDone(k))
          stands = other.until > until || (other.until === until && k > i);
      }
      if (stands) return i;
    }
    return this.open.length;
  }
  private mayBeDone(at: number): boolean {
    const o = this.open[at] as Open<I, O>;
    return !o.done && o.until >= this.now;
  }

  /**
   * Whether this has been tried: the same known operations done, the same state, and no open operation done that could
   * still be done now. With fewer of them done more can still follow, so that what led nowhere then leads nowhere now.
   * (Nor was it later then: an operation done by then is done now, or its time is over.)
   */
  private wasTried(state: S): boolean {
    const key = this.key(state),
      horizon = this.horizon(),
      open: number[] = [];
    for (let i = this.firstOpen(); i < this.open.length && (this.open[i] as Open<I, O>).of.called <= horizon; i++) {
      if ((this.open[i] as Open<I, O>).done && (this.open[i] as Open<I, O>).until >= this.now) open.push(i);
    }
    const before = this.tried.get(key);
    if (before === undefined) {
      this.tried.set(key, [open]);
      return false;
    }
    if (before.some(b => b.every(i => !this.mayBeDone(i)))) return true;
    before.push(open);
    return false;
  }
  /** The known operations that are done, as all below a number and the few beyond, and the state. */
  private key(state: S): string {
    const horizon = this.horizon();
    let beyond = "";
    // An operation called after the return of one that is not done cannot be done.
    for (let i = this.base; i < this.known.length && (this.known[i] as Known<I, O>).of.called <= horizon; i++) {
      if (this.done[i] === true) beyond += `,${i}`;
    }
    return `${this.base}${beyond};${this.specification.key(state)}`;
  }
  /** The earliest return of an operation that is not done. */
  private horizon(): number {
    for (let e = this.head.next; e !== undefined; e = e.next) if (!e.isCall) return e.operation.of.returned;
    return Number.POSITIVE_INFINITY;
  }

  private take(step: Step<S, I, O>): void {
    if ("open" in step) {
      const o = this.open[step.open] as Open<I, O>;
      o.done = true;
      this.now = Math.max(this.now, o.of.called);
      return;
    }
    const o = step.known;
    for (const e of [o.call, o.return]) {
      if (e.previous) e.previous.next = e.next;
      if (e.next) e.next.previous = e.previous;
    }
    this.done[o.index] = true;
    this.left--;
    while (this.done[this.base] === true) this.base++;
    this.now = Math.max(this.now, o.of.called);
  }
  private undo(step: Step<S, I, O>): void {
    this.now = step.now;
    if ("open" in step) {
      (this.open[step.open] as Open<I, O>).done = false;
      return;
    }
    const o = step.known;
    for (const e of [o.return, o.call]) {
      if (e.previous) e.previous.next = e;
      if (e.next) e.next.previous = e;
    }
    this.done[o.index] = false;
    this.left++;
    this.base = Math.min(this.base, o.index);
  }

  private remember(state: S): void {
    if (this.best !== undefined && this.best.left <= this.left) return;
    const stuck: Operation<I, O>[] = [];
    for (let e = this.head.next; e?.isCall === true; e = e.next) stuck.push(e.operation.of);
    this.best = { left: this.left, state, stuck };
  }
  /** Where the longest order ends. */
  explain(): string {
    const { best } = this;
    if (best === undefined) return "no operation can be first";
    const tell = (o: Operation<I, O>): string =>
      `${o.client}: ${this.specification.describe(o.input, o.output)} from ${o.called} to ${o.returned}`;
    const stuck = best.stuck.slice(0, 6).map(tell).join("; "),
      more = best.stuck.length > 6 ? "; ..." : "";
    const after = `with ${this.specification.key(best.state)} and ${best.left} operations left`;
    return `${after}, none of these can be next: ${stuck}${more}`;
  }
}
