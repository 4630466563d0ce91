/** What is measured of SuperNIC. */
export { areaPage } from "./area-page.ts";
