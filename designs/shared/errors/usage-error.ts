/**
 * Bad usage or input: one sentence, exit code 2. What a design refuses (its settings, its files) extends it, so that
 * the command line needs to know no design's errors.
 */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
/** What a verb was asked to check does not hold: the message says what, exit code 1. */
export class CheckFailed extends Error {
  override readonly name: string = "CheckFailed";
}
