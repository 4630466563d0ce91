/** The page table's geometry, shared by hardware, slow path and model: entry, bucket, and the invertible mixing. */
export * from "./geometry.ts";
export * from "./mixing.ts";
export * from "./entry.ts";
export { isPrimitive, primitivePolynomial } from "./polynomial.ts";
