/** The ways between peers: that each leads there and back, and that no circle of them closes. */
import { UsageError } from "../../shared/errors/index.ts";
import type { PeerWay, Setup } from "../../supernic/software/index.ts";
import type { DevicePlan, Plug, RackLink } from "./rack.ts";

type Peer = Setup["peers"][number];
/** A peer as one sNIC has it, with its place in the file. */
interface Way {
  readonly from: DevicePlan;
  readonly peer: Peer;
  readonly at: string;
}
const portText = ({ place, port }: Plug): string => `${place}:${port}`;

const portsOf = ({ port, around }: Peer): readonly number[] => (around === undefined ? [port] : [port, around.port]);

/** What the links join, and who knows whom. */
class Ways {
  readonly #devices: readonly DevicePlan[];
  readonly #far = new Map<string, Plug>();

  constructor(devices: readonly DevicePlan[], links: readonly RackLink[]) {
    this.#devices = devices;
    for (const {
      between: [a, b],
    } of links) {
      this.#far.set(portText(a), b);
      this.#far.set(portText(b), a);
    }
  }
  all(path: string): readonly Way[] {
    return this.#devices.flatMap((from, i) =>
      from.setup.peers.map((peer, k) => ({ from, peer, at: `${path}: devices[${i}].setup.peers[${k}]` })),
    );
  }
  /**
   * Ports by which frames leave on the way to a peer. It ends at the peer, or where no sNIC is that could pass it on:
   * a switch knows its ways itself. @throws UsageError for one that comes to a sNIC that does not pass it on
   */
  portsTo({ from, peer, at }: Way, first = peer.port, field = "port"): readonly Plug[] {
    const ports: Plug[] = [];
    for (let here = from; ;) {
      const known = here.setup.peers.find(p => p.mac === peer.mac),
        fault = `${at}.${field} = ${first}: the way to ${peer.name} comes to ${here.name}`;
      if (known === undefined)
        throw new UsageError(`${fault}, which has no such peer; add it there, or name another port`);
      // On another way one in between may have to take its own other one: it does not send back where it came from.
      const came = ports.map(p => this.#far.get(portText(p))).at(-1)?.port,
        onward = first === peer.port ? known.port : portsOf(known).find(p => p !== came);
      const out = { place: here.name, port: here === from ? first : (onward ?? known.port) },
        far = this.#far.get(portText(out)),
        next = this.#devices.find(d => d.name === far?.place);
      ports.push(out);
      if (next === undefined || next.setup.mac === peer.mac) return ports;
      if (ports.length > this.#devices.length)
        throw new UsageError(`${fault} again and again; name a port that leads nearer to it`);
      here = next;
    }
  }
  /** Told of each port and the next one on all ways to a peer, whoever in between takes which of its own. */
  eachWait({ from, peer }: Way, wait: (port: string, next: string) => void): void {
    const seen = new Set<string>(),
      open = portsOf(peer).map(port => ({ place: from.name, port }));
    for (let out = open.pop(); out !== undefined; out = open.pop()) {
      const far = this.#far.get(portText(out)),
        here = this.#devices.find(d => d.name === far?.place);
      if (here === undefined || here.setup.mac === peer.mac || seen.has(portText(out))) continue;
      seen.add(portText(out));
      const known = here.setup.peers.find(p => p.mac === peer.mac);
      for (const port of known === undefined ? [] : portsOf(known)) {
        if (port === far?.port) continue;
        wait(portText(out), portText({ place: here.name, port }));
        open.push({ place: here.name, port });
      }
    }
  }
  /** The other ends of these ports, from the last one: by these a frame would come back. */
  back(ports: readonly Plug[]): readonly (Plug | undefined)[] {
    return ports.map(p => this.#far.get(portText(p))).toReversed();
  }
  wayBack({ from, peer }: Way): Peer | undefined {
    return this.#devices.find(d => d.setup.mac === peer.mac)?.setup.peers.find(p => p.mac === from.setup.mac);
  }
  deviceOf({ peer }: Way): DevicePlan | undefined {
    return this.#devices.find(d => d.setup.mac === peer.mac);
  }
}

/** A circle of ports, each of which may wait for the next one; undefined: there is none. */
function circleOf(waits: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const over = new Set<string>();
  const from = (port: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(port)) return path.slice(path.indexOf(port));
    if (over.has(port)) return undefined;
    for (const next of waits.get(port) ?? []) {
      const found = from(next, [...path, port]);
      if (found !== undefined) return found;
    }
    over.add(port);
    return undefined;
  };
  for (const port of waits.keys()) {
    const found = from(port, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One of the ways of a peer, with its place in the file. */
interface Part extends PeerWay {
  readonly at: "" | ".around";
}
const partsOf = ({ peer }: Way): readonly Part[] => [
  { at: "", port: peer.port, hops: peer.hops },
  ...(peer.around === undefined ? [] : [{ ...peer.around, at: ".around" as const }]),
];
/** @throws UsageError for one that leads astray, has other `hops`, or is another one back */
function checkWay(ways: Ways, way: Way, { at: part, port, hops }: Part): void {
  const { from, peer, at } = way,
    ports = ways.portsTo(way, port, `${part.slice(1)}${part && "."}port`),
    target = ways.deviceOf(way);
  if (ports.length !== hops)
    throw new UsageError(
      `${at}${part}.hops = ${hops}: the way to ${peer.name} by port ${port} has ${ports.length} links; say so, or name another port`,
    );
  if (target === undefined || (ports.length === 1 && peer.around === undefined)) return;
  const there = ways.wayBack(way),
    first = part === "" ? there?.port : there?.around?.port,
    back = there === undefined || first === undefined ? [] : ways.portsTo({ from: target, peer: there, at }, first);
  const wanted = ways.back(ports).map(p => p && portText(p));
  if (back.map(portText).join() !== wanted.join())
    throw new UsageError(
      `${at}${part}.port = ${port}: ${target.name} has another way back to ${from.name}, and takes what comes by this one for a stranger's; name the same way at both`,
    );
}

/**
 * Holds the ways of all sNICs to their peers against the links (docs/supernic/peers.md, "Over another sNIC"). A frame
 * that passes a sNIC has a place there while it waits for the next link. So links that wait for each other must not
 * close a circle: then each class of frames comes to its end, and redirects and results need no other classes for it.
 * Where peers have two ways, all of them are taken at once for that: so it does not matter who takes which, and when.
 * @throws UsageError in one sentence for a way that leads astray, has other `hops`, is another one back, or closes a
 * circle
 */
export function checkWays(devices: readonly DevicePlan[], links: readonly RackLink[], path: string): void {
  const ways = new Ways(devices, links),
    waits = new Map<string, Set<string>>();
  for (const way of ways.all(path)) {
    for (const part of partsOf(way)) checkWay(ways, way, part);
    ways.eachWait(way, (port, next) => waits.set(port, (waits.get(port) ?? new Set()).add(next)));
  }
  const circle = circleOf(waits);
  if (circle !== undefined)
    throw new UsageError(
      `${path}: devices: the ways of peers close a circle over ${circle.join(", ")}, in which frames could wait for each other for ever; lead one of them the other way round`,
    );
}
