import type { Decoded } from "../../shared/wire/index.ts";
import type { clioHeader } from "./headers.ts";
import { status } from "./status.ts";

type Header = Decoded<typeof clioHeader>;

/** The longest time to wait that a reply can say, nanoseconds. */
const longest = 2 ** 32 - 1;

/**
 * The header of a request, to be echoed in a BUSY or YIELD reply on the native port that says how long to wait:
 * `flagRoute` says that there is such a time, and `retryOf` has it, in nanoseconds (32 bits).
 */
export const telling = (clio: Header, ns: number): Header => ({
  ...clio,
  flagRoute: 1,
  retryOf: Math.min(longest, Math.max(0, Math.ceil(ns))),
});
/** The time to wait that a reply on the native port says, nanoseconds; undefined when it says none. */
export const waitOf = (reply: Pick<Header, "status" | "flagRoute" | "retryOf">): number | undefined =>
  (reply.status === status.BUSY || reply.status === status.YIELD) && reply.flagRoute === 1 ? reply.retryOf : undefined;
