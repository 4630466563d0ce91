/** Dollars of a rack's network for each endpoint (paper §5.7.1, figure 5.8). */

/** Savings that the paper's text states. */
export const saved = { middle: 0.52, switchAttached: 0.18 } as const;
const nic = 500,
  cable = 100,
  port = 250,
  nicLeft = 0.2,
  cableLeft = 0.6;
/** Without sNICs; sNICs as a middle layer, or at the switch; multi-host NICs, or switches with NICs, instead. */
export const racks = ["traditional", "middle", "at switch", "multi", "enhanced"] as const;
export type Rack = (typeof racks)[number];
const traditional = nic + cable + port,
  /** What an endpoint has itself when its tasks are elsewhere. */
  endpoint = nic * nicLeft;
const consolidation = 0.1;
/** What the middle layer's saving leaves for an endpoint's part of an sNIC. */
const snic = traditional * (1 - saved.middle) - endpoint - cable * cableLeft;
export const prices = { nic, cable, port, nicLeft, cableLeft, consolidation, snic } as const;

/** Tasks for an endpoint's own peak, and what a device costs whose tasks are not consolidated. */
const tasks = nic * (1 - nicLeft),
  unconsolidated = snic + tasks * (1 - consolidation);
export function capEx(rack: Rack): number {
  switch (rack) {
    case "traditional":
      return traditional;
    case "middle":
      return endpoint + cable * cableLeft + snic;
    case "at switch":
      return endpoint + cable + port + snic;
    case "multi":
      return endpoint + cable * cableLeft + unconsolidated;
    case "enhanced":
      return endpoint + cable + port + unconsolidated;
  }
}
