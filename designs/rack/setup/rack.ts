/** A rack as it is built: names are resolved, and everything fits together. */
import type { Settings } from "../../clio/config/index.ts";
import type { Parameters } from "../../supernic/config/index.ts";
import type { Setup } from "../../supernic/software/index.ts";
import type { LinkFile, ProgramFile } from "./schema.ts";

/** One end of a line. */
export interface Plug {
  readonly place: string;
  readonly port: number;
}
export interface RackLink extends Omit<LinkFile, "between"> {
  readonly between: readonly [Plug, Plug];
}
export interface DevicePlan {
  readonly name: string;
  readonly setup: Setup;
  readonly parameters: Parameters;
}
export interface NodePlan {
  readonly name: string;
  readonly settings: Settings;
}
export interface SwitchPlan {
  readonly name: string;
  readonly ports: number;
  readonly latencyNs: number;
  /** Port by MAC. */
  readonly table: ReadonlyMap<bigint, number>;
  /** Ports of links that would close a ring: frames for groups pass none. */
  readonly blocked: ReadonlySet<number>;
}
export interface EndpointPlan {
  readonly name: string;
  readonly mac: bigint;
  readonly ip: number;
  /** Of the DAG that its datagrams go through; undefined: they are only switched. */
  readonly uid: number | undefined;
  /** It sends although its class is paused. */
  readonly ignoresPause: boolean;
  readonly program: ProgramFile;
  /** Of a program of sockets. */
  readonly forwards: readonly Forward[];
}
/** A socket of this machine in front of a station's UDP port. */
export interface Forward {
  readonly at: { readonly ip: number; readonly port: number };
  readonly to: { readonly name: string; readonly ip: number; readonly port: number };
}
export interface Rack {
  readonly devices: readonly DevicePlan[];
  readonly nodes: readonly NodePlan[];
  readonly switches: readonly SwitchPlan[];
  readonly endpoints: readonly EndpointPlan[];
  readonly links: readonly RackLink[];
  /** MAC by IPv4 address of all nodes and endpoints. */
  readonly neighbours: ReadonlyMap<number, bigint>;
  /** Its links close a ring. */
  readonly hasRing: boolean;
}
