/** What processors ask of the ExCache. */
export { localities, Locality, type LocalityName } from "./locality.ts";
