/** The set-up cannot go on; the message is the one sentence that the user gets. */
export class SetupError extends Error {}
