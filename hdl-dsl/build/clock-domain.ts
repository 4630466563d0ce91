/** Clock domains of a module: those that come in by ports, and those whose clock a black box makes. */
import type { ClockDomain, Signal } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import { snakeCase } from "../ir/snake-case.ts";
import type { Bit } from "../types/value.ts";
import { valueOfBody } from "./body.ts";
import { context, refuse } from "./context.ts";
import { node } from "./declare.ts";
import { conditionOf } from "./value.ts";

/** Reset and clock of a domain (`clockDomain`); each may be left out. */
export interface ClockDomainOptions {
  /** How the registers with an initial value take it: `sync` (the default), `async`, or `none`: there is no reset. */
  readonly reset?: "sync" | "async" | "none";
  /** Level of the reset port that resets; `low` names it `<name>_rst_n`. Default `high`. */
  readonly active?: "high" | "low";
  /**
   * The clock: an output of a black box (PLL, clock buffer), or of a module that hands such a one out. The domain then
   * has no ports.
   */
  readonly clock?: Bit;
  /**
   * With `clock`: the domain is reset while this is 1. Without it the domain has no reset. It is a value of this very
   * domain: `generatedClock` makes one of a value of any domain or none.
   */
  readonly resetWhen?: Bit;
}

/**
 * A clock domain of the module. Without `clock`, ports `<name>_clk` and, unless `reset` is "none", `<name>_rst` are
 * added.
 */
export function clockDomain(name: string, o: ClockDomainOptions = {}): ClockDomain {
  const kind = o.reset ?? "sync",
    base = snakeCase(name);
  if (o.clock !== undefined) return madeDomain(name, o.clock, kind, o.resetWhen, o.active);
  if (o.resetWhen !== undefined)
    refuse(
      "HDL130",
      `clock domain \`${name}\` has a reset made here and a clock that is a port`,
      "Give `clock` too, or leave `resetWhen` out: the reset is a port then",
    );
  const low = o.active === "low" && kind !== "none";
  const d: ClockDomain = {
    name,
    clock: `${base}_clk`,
    reset: kind === "none" ? undefined : `${base}_rst${low ? "_n" : ""}`,
    kind,
    ...(low ? { low } : {}),
  };
  context().domains.add(d);
  return d;
}

function madeDomain(
  name: string,
  clock: Bit,
  kind: ClockDomain["kind"],
  resetWhen: Bit | undefined,
  active: "high" | "low" | undefined,
): ClockDomain {
  if (active !== undefined)
    refuse(
      "HDL130",
      `clock domain \`${name}\` has a level for a reset port, and its clock is made here: it has no ports`,
      "Leave `active` out: `resetWhen` is 1 under reset",
    );
  if (kind === "none" && resetWhen !== undefined)
    refuse("HDL130", `clock domain \`${name}\` has no reset and is given one`, "Leave out `resetWhen`, or the style");
  const signal = clockSignal(name, clock);
  const reset = resetWhen === undefined ? undefined : resetSignal(name, `${snakeCase(name)}_rst`, resetWhen);
  return makeDomain(name, signal, kind, reset);
}

export function makeDomain(
  name: string,
  clock: Signal,
  kind: ClockDomain["kind"],
  reset: Signal | undefined,
  raw?: true,
): ClockDomain {
  const d: ClockDomain = {
    name,
    clock: clock.name,
    reset: reset?.name,
    kind: reset === undefined ? "none" : kind,
    made: { clock, reset, raw },
  };
  context().domains.add(d);
  return d;
}

/** The output of an instance that a clock is. Logic on a clock's way is refused: it would glitch. */
export function clockSignal(domain: string, clock: Bit): Signal {
  const e: Expr = conditionOf(clock, `the clock of \`${domain}\``);
  if (e.kind === "read" && e.signal.kind === "instanceOut") return e.signal;
  return refuse(
    "HDL130",
    `the clock of domain \`${domain}\` is ${e.kind === "read" ? `\`${e.signal.name}\`, no output of an instance` : "computed by logic, which glitches"}`,
    "Take it from a black box (PLL, clock buffer, clock gate), or set registers under `when` in place of a second clock",
  );
}

/** A wire that is 1 under reset. */
export function resetSignal(domain: string, name: string, value: Bit): Signal {
  const e = conditionOf(value, `the reset of \`${domain}\``);
  if (e.kind === "const")
    refuse("HDL130", `the reset of clock domain \`${domain}\` is always ${e.value}`, "Leave `resetWhen` out");
  return (node(value, { name, mayBeUnread: true }) as Bit & { readonly signal: Signal }).signal;
}

/** Registers and memories declared in `f` belong to the domain. */
export function inDomain<T>(domain: ClockDomain, f: () => T): T {
  const c = context(),
    outer = c.domain;
  c.domain = domain;
  try {
    return valueOfBody("the body of inDomain", f);
  } finally {
    c.domain = outer;
  }
}
