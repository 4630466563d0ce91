import { SimulationError } from "../errors.ts";

/** A node that cannot be served as asked: one sentence naming what stands in the way, and the remedy. */
export class ServeError extends SimulationError {
  override readonly name = "ServeError";
}
