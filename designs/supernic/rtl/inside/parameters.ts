/** Sizes of the device that its blocks share. */

export interface DeviceSizes {
  /** Ports to the outside, 2 to 9. The loop port is one more. */
  readonly ports: number;
  readonly users: number;
  /** Packets inside at once, a power of two. */
  readonly contexts: number;
  /** Cells of the packet store, a power of two. */
  readonly cells: number;
  readonly regions: number;
  readonly slots: number;
  readonly branches: number;
  readonly credits: number;
  readonly rules: number;
  readonly macs: number;
  /** Bytes of the longest frame without shims and FCS. */
  readonly frameBytes: number;
}
/** Beats of a cell; bytes of a beat. */
export const cellBeats = 4;
export const beatBytes = 64;
/** Beats of the longest payload: all but the header. */
export const payloadBeats = (p: Pick<DeviceSizes, "frameBytes">): number => Math.ceil(p.frameBytes / beatBytes) - 1;

/** Classes of frames that wait at a port: of users, switched, and for software. A user is in one of the first. */
export const userClasses = 4;
export const switchedClass = 4;
export const softwareClass = 5;
/**
 * At ports that lead to peers (docs/supernic/peers.md): results that return, which wait for a port only, have a class
 * of their own. Redirects, which wait for contexts, have that of switched frames: none is switched onto such a port.
 * Users' frames have the others.
 */
export const returnClass = 3;
export const peerUserClasses = 3;
export interface PeerClasses {
  /** Class of redirects between peers; that of switched frames, where it is left out. */
  readonly redirectClass?: number;
}
/** What a module's name says of it. */
export const redirectName = ({ redirectClass = switchedClass }: PeerClasses): string =>
  redirectClass === switchedClass ? "" : `_r${redirectClass}`;
export const queueClasses = 6;
/** Bits of a class's number. PFC and the link shim have the same numbers. */
export const classBits = 3;
/** Ways into the device: the ports, and the loop port behind them. */
export const inlets = (p: Pick<DeviceSizes, "ports">): number => p.ports + 1;
