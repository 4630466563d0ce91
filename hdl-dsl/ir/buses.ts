/** What Vivado wants to be told of clocks and resets when ports are marked as buses (`busType`). */
import type { Circuit, ClockDomain } from "./circuit.ts";

type Attributes = readonly (readonly [string, string])[] | undefined;

/** The marked buses by the clock domain of their ports. */
export function busesOf(c: Circuit): ReadonlyMap<ClockDomain | undefined, readonly string[]> {
  const buses = new Map<ClockDomain | undefined, string[]>();
  for (const s of c.signals) {
    const info = s.attributes?.["X_INTERFACE_INFO"];
    if ((s.kind !== "input" && s.kind !== "output") || typeof info !== "string") continue;
    const bus = info.split(" ")[1] ?? "",
      known = buses.get(s.domain) ?? [];
    if (!known.includes(bus)) buses.set(s.domain, [...known, bus]);
  }
  return buses;
}

export function clockAttributes(buses: readonly string[], clock: string, reset: string | undefined): Attributes {
  if (buses.length === 0) return undefined;
  const associated = `ASSOCIATED_BUSIF ${buses.join(":")}`;
  return [
    ["X_INTERFACE_INFO", `xilinx.com:signal:clock:1.0 ${clock} CLK`],
    ["X_INTERFACE_PARAMETER", reset === undefined ? associated : `${associated}, ASSOCIATED_RESET ${reset}`],
  ];
}

export function resetAttributes(buses: readonly string[], reset: string): Attributes {
  if (buses.length === 0) return undefined;
  return [
    ["X_INTERFACE_INFO", `xilinx.com:signal:reset:1.0 ${reset} RST`],
    ["X_INTERFACE_PARAMETER", "POLARITY ACTIVE_HIGH"],
  ];
}
