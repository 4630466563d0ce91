import { gbnDriver } from "../registers/index.ts";

/** The node's registers, by byte address, one access at a time. */
export interface RegisterAccess {
  read(address: number): Promise<number>;
  write(address: number, data: number): Promise<void>;
}

/** Operations of a transport with sessions that the slow path needs. */
export interface TransportSessions {
  /** Sessions that there are, number 0 (management) among them. */
  readonly count: number;
  /** Opens it: both directions begin anew. */
  readonly open: (session: number) => Promise<void>;
  readonly close: (session: number) => Promise<void>;
  /** A session that the hardware has given up, each told once; undefined when there is no more. */
  readonly failed: () => Promise<number | undefined>;
}

/** The Go-Back-N sessions of a node over its registers. @param count the build's `gbnSessions` */
export function goBackNSessions(registers: RegisterAccess, count: number): TransportSessions {
  const driver = gbnDriver(registers);
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: an order while one is under way is forgotten by the hardware.
  const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
    const done = last.then(action);
    last = done.catch(() => undefined);
    return done;
  };
  const order = (session: number, open: 0 | 1): Promise<void> =>
    inTurn(async () => {
      await driver.write({ gbnSession: session, gbnOpen: open, gbnGo: 1 });
      while ((await driver.read("gbnIdle")) === 0);
    });
  return {
    count,
    open: session => order(session, 1),
    close: session => order(session, 0),
    failed: () =>
      inTurn(async () => {
        if ((await driver.read("gbnFailedWaiting")) === 0) return undefined;
        const session = await driver.read("gbnFailed");
        await driver.write({ gbnFailedTaken: 1 });
        return session;
      }),
  };
}
