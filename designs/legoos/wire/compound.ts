import { big, layout } from "../../shared/wire/index.ts";
import { accessBody } from "../../clio/wire/index.ts";

/**
 * Opcode of the ExCache's own request: a line written and another fetched (LegoOS §3.5.3, "piggy-back"). No Clio node
 * knows it: one without a `Splitter` at its port answers MALFORMED and does nothing.
 */
export const flushAndFetch = 0x46;

/** Its body, as long as that of a READ or WRITE; the line's bytes follow. Its lengths are those of the data. */
export const compoundBody = layout("compound", "FLUSH_AND_FETCH", "le", {
  flushVa: big(48, "virtual address of the line that is written"),
  fetchVa: big(48, "virtual address of the line that is fetched"),
});
if (compoundBody.bytes !== accessBody.bytes) throw new Error("a compound's body is as long as a WRITE's");

/** The Clio header's tag of a request: who of a miss's three requests it is, above the miss's number. */
export const part = { fetch: 0, primary: 1, secondary: 2 } as const;
export const partShift = 4;
