/** Bad usage or input found by the command line itself: one sentence, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
/** What a verb was asked to check does not hold: the message says what, exit code 1. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed";
}
