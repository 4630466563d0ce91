/** What happens in a cycle that the monitors look at, and what the device has. */
export interface FairSizes {
  readonly ports: number;
  readonly users: number;
  readonly types: number;
  /** Of the unit: those that are counted, and one that makes their number even. */
  readonly resources: number;
  readonly floor: number;
}
export interface AdmittedPacket {
  readonly ctx: number;
  readonly dag: number;
  readonly user: number;
  readonly headBytes: number;
  readonly payloadBytes: number;
}
export interface FairEvents {
  /** A 64th part of an epoch begins. */
  readonly part?: boolean;
  readonly admitted?: AdmittedPacket;
  /** `port`: the loop port is behind the others; undefined: it is dropped. */
  readonly decided?: { readonly ctx: number; readonly port: number | undefined };
  readonly released?: { readonly user: number; readonly cells: number };
  /** By inlet, the loop port last. */
  readonly offered?: readonly ({ readonly user: number; readonly bytes: number; readonly kept: boolean } | undefined)[];
  readonly taken?: { readonly user: number; readonly bytes: number };
  /** By port, classes that are paused, a bit each. */
  readonly paused?: readonly number[];
  /** Users whose meter holds them, a bit each. */
  readonly dry?: number;
}
/** What software has said. */
export interface FairSaid {
  readonly portBytes: number;
  /** By DAG, how often it uses each type. */
  readonly dagUses: ReadonlyMap<number, readonly number[]>;
  /** Types of which a packet counts as a beat. */
  readonly packetTypes: ReadonlySet<number>;
  readonly classes: readonly number[];
  readonly weights: readonly number[];
  readonly capacities: readonly number[];
}
