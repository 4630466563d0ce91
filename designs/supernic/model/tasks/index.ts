/** Models of the network tasks, and of chains of them. */
export * from "./task.ts";
export * from "./chain.ts";
