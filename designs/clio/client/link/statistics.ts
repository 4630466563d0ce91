const zero = {
  /** Operations of the application: begun, done, ended in an error. */
  begun: 0,
  done: 0,
  failed: 0,
  /** Requests sent, retries and greetings included; of them retries. */
  sent: 0,
  retries: 0,
  greetings: 0,
  /** Why requests were sent again. */
  timeouts: 0,
  nacks: 0,
  damaged: 0,
  busy: 0,
  /**
   * Unexpected answers: duplicates or answers overtaken by a retry's, answers to no request of this client, and answers
   * that fit no request.
   */
  late: 0,
  unknown: 0,
  unfit: 0,
  /** Answers to an earlier try, accepted after a retry had been sent. */
  answeredByEarlier: 0,
  /** Operations that had to wait for a conflicting one of their thread (T2). */
  blocked: 0,
};
/** Counters of a client. */
export type ClientStatistics = typeof zero;
export function noStatistics(): ClientStatistics {
  return { ...zero };
}
