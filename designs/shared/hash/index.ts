/** Keyed hashes, by which state is placed so that nobody outside can say where. */
export * from "./toeplitz.ts";
