/** The software of a rack's sNICs for each other, over their own registers and lines. */
import { pairKey, type PeerPlace, PeerSoftware, type Site, stateOf, Ways } from "../../../supernic/software/index.ts";
import type { SimulatedSuperNic } from "../../../supernic/rig/index.ts";
import type { RackDevice } from "./device.ts";

export interface PeersOfOptions {
  readonly boot: number;
  /** Nanoseconds between two LOADs, and without a packet until a chain counts as drained. */
  readonly period: number;
  readonly quiet: number;
  readonly rackKey: Uint8Array;
  /** Told once when a peer is gone. */
  readonly onGone?: (name: string) => void;
  /** The peers' software; the project's, where this is left out. */
  readonly software?: typeof PeerSoftware;
}

/**
 * The peers' software of a sNIC whose regions are managed; the others are those that its setup names. It begins with
 * `start`. @throws RangeError for a device whose chains stay
 */
export function peersOf(device: RackDevice, all: readonly RackDevice[], o: PeersOfOptions): PeerSoftware {
  const { setup, time } = device,
    nic = device.device,
    site = siteOf(device, o.quiet);
  const peers = setup.peers.map((p): PeerPlace => {
    const other = all.find(d => d.setup.mac === p.mac);
    if (other === undefined) throw new RangeError(`${device.name}: the rack has no sNIC with the MAC of ${p.name}`);
    const { ip, number } = other.setup;
    return { ...p, ip, number, key: pairKey(o.rackKey, setup.number, number) };
  });
  const { software: Software = PeerSoftware } = o;
  const software = new Software(site, {
    ...{ peers, boot: o.boot, period: o.period, clock: time },
    send: sent => nic.give(sent),
    frames: nic.memory?.aside,
    onGone: p => o.onGone?.(p.name),
  });
  // Pages of an earlier life of this software are lost.
  if (nic.memory !== undefined) nic.memory.elsewhere.at = software.pages;
  nic.takesPeers = ({ bytes, ingress }) => software.receive(bytes, ingress) === "taken";
  return software;
}
function siteOf({ setup, time, name, device }: RackDevice, quiet: number): Site {
  const { managed, driver } = device;
  if (managed === undefined) throw new RangeError(`${name}: its chains stay; peers need regions that can be given`);
  const { manager, dags } = managed;
  return {
    ...{ setup, manager, quiet },
    ways: new Ways(setup, { write: entry => driver.write([entry]) }),
    state: stateOf(manager),
    dags: () => dags.dags,
    catalogue: catalogueOf(device),
    activity: async r => {
      let taken = 0;
      for (let slot = 0; slot < setup.sizes.slots; slot++) taken += await driver.took(r, slot);
      return { inside: (await driver.region(r)).sent, taken };
    },
    time: () => time.now(),
    pause: ns => new Promise(resolve => time.after(ns, resolve)),
  };
}
/** Tasks in the order of the bitstreams, as ADD_DAG numbers them. */
const catalogueOf = ({ bitstreams }: SimulatedSuperNic): readonly string[] => [...new Set((bitstreams ?? []).flat())];
