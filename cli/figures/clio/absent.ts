import type { Definition } from "../form/definition.ts";

const hardware = "The hardware for it does not exist in this repository yet; software on the slow path would tell nothing of it.";

/** Figures that nothing here can tell, each with the reason. */
export const absent: readonly Definition[] = [
  { number: "4.15", title: "Clio-KV scalability against memory nodes",
    paper: [["4.7.2", "Clio-KV can reach a CN's maximum throughput and can handle concurrent get/set requests even under contention."]],
    notes: ["Clio-KV is software on the slow path here (figure 4.18), whose own time is not modelled: its throughput would be made up.", "A simulation has one cycle-accurate node."] },
  { number: "4.19", title: "Clio-MV object read and write latency",
    paper: [["4.7.2", "Clio-MV's read and write have the same performance, and reading any version has the same performance"]],
    notes: [`It needs the Clio-MV offload. ${hardware}`] },
  { number: "4.20", title: "Select, aggregate, shuffle",
    paper: [["4.7.2", "When the select ratio is low, Clio transfers much less data than RDMA"]],
    notes: [`It needs the offloads of Clio-DF. ${hardware}`] },
];
