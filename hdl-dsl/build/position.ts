/** Positions and names from the source, as the builders use them. */
export * from "../source/position.ts";
