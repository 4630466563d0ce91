/** Writes that go to several nodes, and are answered once. */
export { replicate } from "./replicate.ts";
