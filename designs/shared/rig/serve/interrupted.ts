/** A person or a service manager asks for the end. */
export interface Interrupted {
  /** Settles at the first SIGINT or SIGTERM; a second one ends the process the usual way. */
  readonly stop: Promise<void>;
  /** Signals end the process at once again. */
  readonly forget: () => void;
}

/** Listens for SIGINT and SIGTERM from now on. */
export function interrupted(): Interrupted {
  let forget: () => void = () => undefined;
  const stop = new Promise<void>(resolve => {
    const ended = (): void => {
      forget();
      resolve();
    };
    forget = () => {
      process.off("SIGINT", ended).off("SIGTERM", ended);
    };
    process.on("SIGINT", ended).on("SIGTERM", ended);
  });
  return { stop, forget };
}
