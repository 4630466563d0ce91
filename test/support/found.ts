import { expect } from "vitest";

/** The run of a design with a planted fault must fail, and because of what it does: one that does not even build proves nothing. */
export async function expectFound(run: Promise<unknown>): Promise<void> {
  const error = await run.then(() => undefined, (e: unknown) => e);
  if (!(error instanceof Error)) expect.fail("the bench passed with the fault planted");
  if (error.name === "BuildError") throw error;
}
