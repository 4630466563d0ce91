/** Where a clock comes from. */
import type { Circuit, ClockDomain, Signal } from "./circuit.ts";
import { resolve } from "./resolve.ts";

/**
 * The domain by a port of `c` whose clock `d` follows edge by edge, through clock buffers and modules; undefined where
 * a black box makes a clock of its own.
 */
export function followed(c: Circuit, d: ClockDomain): ClockDomain | undefined {
  return d.made === undefined ? d : behind(c, d.made.clock);
}

function behind(c: Circuit, clock: Signal): ClockDomain | undefined {
  const i = clock.instance;
  if (clock.kind !== "instanceOut" || i === undefined) return undefined;
  const port = i.circuit.signals.find(p => p.kind === "output" && i.connections.get(p.name) === clock);
  if (port === undefined) return undefined;
  const { blackBox } = i.circuit;
  let inside: ClockDomain | undefined;
  if (blackBox !== undefined) inside = blackBox.follows.includes(port.name) ? i.circuit.domains[0] : undefined;
  else {
    const [only, second] = resolve(i.circuit).segments.get(port) ?? [];
    if (second === undefined && only?.value?.kind === "read") inside = behind(i.circuit, only.value.signal);
  }
  const outside = inside === undefined ? undefined : i.domains.get(inside.name);
  return outside === undefined ? undefined : followed(c, outside);
}
