import type { Definition } from "../../../shared/evaluation/index.ts";

/** What of the paper is hardware here, what is traffic, and what is not there. */
export const partsFigure: Definition = {
  number: "parts",
  title: "What is in hardware, what is traffic, what is not modelled",
  paper: [],
  notes: [
    "In hardware: the engine, the offload at the node, the client's requests with repetition.",
    "In traffic: requests of lists, the log and the key-value store.",
    "Not modelled: the paper's processors and their caches, prefetching, batches of RDMA requests and their completions, eRPC.",
    "Locks stand in the node's memory at every place; the paper's SmartNIC keeps them in its own.",
    "Paper beside measured, calibrated or predicted: the tables and claims of the figures below.",
  ],
};
