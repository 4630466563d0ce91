/** Errors whose message is meant for the user. */
export { CheckFailed, UsageError } from "./usage-error.ts";
