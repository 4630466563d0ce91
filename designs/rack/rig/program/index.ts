/** What runs at a rack's endpoints. */
export { playAll, type Player } from "./captures.ts";
export { clientGroups, type EndpointClients, problemsOf, work, type Workload } from "./clients.ts";
