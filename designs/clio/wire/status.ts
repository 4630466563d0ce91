/** Status codes of a reply (4 bits of the Clio header). */
export const status = {
  OK: 0,
  INVALID: 1,
  WRITE_PERM: 2,
  READ_PERM: 3,
  FAIL: 4,
  NACK: 5,
  BUSY: 6,
  OUT_OF_MEMORY: 7,
  MALFORMED: 8,
  MIGRATING: 9,
  EXPIRED: 10,
  QUOTA: 11,
  YIELD: 12,
} as const;
export type StatusName = keyof typeof status;
export type StatusCode = (typeof status)[StatusName];

/** Meaning of each status for the client. */
export const statusMeaning: Readonly<Record<StatusName, string>> = {
  OK: "done",
  INVALID: "no mapping at this address",
  WRITE_PERM: "the page is not writable",
  READ_PERM: "the page is not readable",
  FAIL: "the operation failed",
  NACK: "the request arrived corrupt: send it again",
  BUSY: "retry later",
  OUT_OF_MEMORY: "no physical page is left",
  MALFORMED: "the request contradicts itself or is not known; nothing was done",
  MIGRATING: "the region is moving: retry",
  EXPIRED: "too late to tell whether this was done before; nothing was done now",
  QUOTA: "the process has all the pages that it may have",
  YIELD: "others wait for a place: this was not done and never will be; wait, greet, and ask anew",
};

/** Name by code, for displays. */
export const statusNames: Readonly<Record<number, StatusName>> = Object.fromEntries(
  Object.entries(status).map(([n, c]) => [c, n as StatusName]),
);

/** The name of a status code; unknown codes read `STATUS_13`. */
export function statusName(code: number): string {
  return statusNames[code] ?? `STATUS_${code}`;
}
