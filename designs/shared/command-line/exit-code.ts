/** Exit codes of every verb. */
export const exitCode = {
  done: 0,
  /** The design failed: hang, assertion, protocol error, a check that does not hold. */
  failed: 1,
  /** Bad usage or input, or the machine lacks a tool. */
  usage: 2,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
