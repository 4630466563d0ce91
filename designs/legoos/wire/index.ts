/** What the ExCache says on the wire beside Clio's requests. */
export { compoundBody, flushAndFetch, part, partShift } from "./compound.ts";
