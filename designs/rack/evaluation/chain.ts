/** Racks for measurements: a host, some sNICs one behind another, a memory node. */
import { type Rack, readRack } from "../setup/index.ts";

/** Sizes of the sNIC in examples/rack.json: a build that has been made serves again. */
const small = { ports: 4, regions: 3, slots: 2, branches: 1, contexts: 64, cells: 128, users: 4 };
const mac = (n: number): string => `02:5c:00:00:01:${n.toString(16).padStart(2, "0")}`;

/** Datagrams of the host are switched, or go through a firewall and a delay of 6 cycles at the first sNIC. */
export type Way = "switched" | "processed";

function device(i: number) {
  return {
    name: `snic${i}`,
    set: small,
    setup: {
      mac: mac(i),
      ip: `10.20.0.${i + 1}`,
      number: i,
      users: [{ name: "memory" }],
      regions: [{ chain: "guard", tasks: ["firewall", "delay(6,1)"] }],
      firewall: [{ protocol: 17, action: "pass" }],
      dags: [{ name: "requests", user: "memory", uid: 0x401 + i, stages: [[{ chain: "guard" }]] }],
    },
  };
}
/** A rack of `snics` in a row; links take 100 ns. */
export function chainOf(snics: number, way: Way = "switched"): Rack {
  const places = ["host", ...Array.from({ length: snics }, (_, i) => `snic${i}`), "mem"],
    port = (place: string, side: 0 | 1): string => (place.startsWith("snic") ? `${place}:${side}` : place);
  return readRack(
    JSON.stringify({
      devices: Array.from({ length: snics }, (_, i) => device(i)),
      nodes: [{ name: "mem", mac: "02:c1:10:00:00:01", ip: "10.20.2.1" }],
      endpoints: [
        {
          name: "host",
          mac: "02:10:00:00:00:01",
          ip: "10.20.1.1",
          ...(way === "processed" && { dag: "snic0/requests" }),
          program: { kind: "clib", node: "mem", operations: 1 },
        },
      ],
      links: places.slice(1).map((place, i) => ({
        between: [port(places[i] ?? "", 1), port(place, 0)],
        latencyNs: 100,
      })),
    }),
    "chain",
  );
}
