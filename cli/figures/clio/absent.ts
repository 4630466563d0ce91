import type { Definition } from "../form/definition.ts";

/** Figures that nothing here can tell, each with the reason. */
export const absent: readonly Definition[] = [
  { number: "4.15", title: "Clio-KV scalability against memory nodes",
    paper: [["4.7.2", "Clio-KV can reach a CN's maximum throughput and can handle concurrent get/set requests even under contention."]],
    notes: ["A run with clients has one cycle-accurate node. Clients spread keys over nodes, which share nothing: it would be one node's throughput times their number."] },
];
