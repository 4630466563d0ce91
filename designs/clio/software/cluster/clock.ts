/** What the parts of a cluster wait by. */
export { pause, type Clock as ClusterClock } from "../../../shared/control/software/index.ts";
