/** Regions whose chain comes and goes, as they must be. */
export { LoaderModel, type RegionAsk, type RegionSeen, type RegionStageName, regionStages } from "./loader.ts";
