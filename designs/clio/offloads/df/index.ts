/** Clio-DF: select and aggregate at the memory node (paper §4.6). */
export { DataFrame } from "./data_frame.ts";
