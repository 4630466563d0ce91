/** Rows of tasks: firewall rules, tunnels and templates, buckets of balancers. */
import {
  concat,
  encode,
  ethernetHeader,
  etherType,
  headerOffsets,
  ipProtocol,
  ipv4Header,
  udpHeader,
} from "../../../shared/wire/index.ts";
import {
  type FirewallKey,
  firewallKey,
  firewallKeyBits,
  type FirewallRule,
  firewallRules,
  type GbnNode,
  tunnelBytes,
  tunnelPort,
} from "../../wire/index.ts";
import type { Prefix } from "./fields.ts";
import type { Refuse } from "./refuse.ts";
import type { SetupFile } from "./schema.ts";
import type { Balancer, Replicas, SetupKvNode, Station, Tunnel, User } from "./setup.ts";

const bits = (n: number): number => 2 ** n - 1;
/** The bits of an address that count. */
export const prefixMask = (p: Prefix | undefined): number => (p === undefined ? 0 : bits(32) - bits(32 - p.bits));
const key = (part: Partial<FirewallKey>): bigint =>
  firewallKey({ user: 0, src: 0, dst: 0, protocol: 0, srcPort: 0, dstPort: 0, hasPorts: 0, ...part });

export function firewallOf(file: Pick<SetupFile, "firewall">, users: readonly User[], refuse: Refuse): FirewallRule[] {
  refuse.fits(file.firewall, firewallRules, "firewall", "rules");
  return file.firewall.map((r, i) => {
    const user = r.user === undefined ? undefined : refuse.named(users, r.user, `firewall[${i}].user`, "user");
    const ports = r.fromPort !== undefined || r.toPort !== undefined ? 1 : 0;
    const mask = key({
      user: user === undefined ? 0 : bits(6),
      src: prefixMask(r.from),
      dst: prefixMask(r.to),
      protocol: r.protocol === undefined ? 0 : bits(8),
      srcPort: r.fromPort === undefined ? 0 : bits(16),
      dstPort: r.toPort === undefined ? 0 : bits(16),
      hasPorts: ports,
    });
    const value = key({
      user: user?.number ?? 0,
      src: r.from?.address ?? 0,
      dst: r.to?.address ?? 0,
      protocol: r.protocol ?? 0,
      srcPort: r.fromPort ?? 0,
      dstPort: r.toPort ?? 0,
      hasPorts: ports,
    });
    return {
      value: value & mask & ((1n << BigInt(firewallKeyBits)) - 1n),
      mask,
      enabled: true,
      drops: r.action === "drop",
    };
  });
}

/** Ethernet, IPv4, UDP and VXLAN; lengths and the checksum are the deparser's to fill in. */
function vxlanFront(v: NonNullable<SetupFile["tunnels"][number]["vxlan"]>, own: bigint): Uint8Array {
  const vxlan = new Uint8Array(tunnelBytes - headerOffsets.payload);
  vxlan[0] = 8;
  vxlan.set([(v.vni >> 16) & 255, (v.vni >> 8) & 255, v.vni & 255], 4);
  return concat(
    encode(ethernetHeader, { dst: v.dst, src: v.src ?? own, etherType: etherType.ipv4 }),
    encode(ipv4Header, {
      version: 4,
      ihl: 5,
      dontFragment: 1,
      ttl: 64,
      protocol: ipProtocol.udp,
      src: v.from,
      dst: v.to,
    }),
    encode(udpHeader, { srcPort: v.port, dstPort: tunnelPort }),
    vxlan,
  );
}
/** Bytes of a template, at most and at least: its MACs and EtherType are the frame's. */
const templateBytes = { most: 64, least: ethernetHeader.bytes } as const;

export function tunnelsOf(file: Pick<SetupFile, "tunnels" | "mac">, users: readonly User[], refuse: Refuse): Tunnel[] {
  const tunnels = file.tunnels.map((t, i): Tunnel => {
    const at = `tunnels[${i}]`,
      user = refuse.named(users, t.user, `${at}.user`, "user"),
      given = [t.vxlan, t.bytes, t.opens].filter(x => x !== undefined).length;
    refuse.unless(given === 1, () => `${at}: it has ${given} of vxlan, bytes and opens; give one`);
    const bytes = t.vxlan ? vxlanFront(t.vxlan, file.mac) : (t.bytes ?? new Uint8Array());
    refuse.unless(
      t.opens !== undefined || (bytes.length >= templateBytes.least && bytes.length <= templateBytes.most),
      () => `${at}.bytes: it has ${bytes.length} bytes; it must have ${templateBytes.least} to ${templateBytes.most}`,
    );
    return {
      number: t.number ?? i + 1,
      name: t.name,
      row: { valid: true, user: user.number, opens: t.opens !== undefined, bytes: bytes.length, vni: t.opens ?? 0 },
      template: { bytes, lengths: t.vxlan !== undefined },
    };
  });
  refuse.once(
    tunnels,
    t => t.number,
    i => `tunnels[${i}].number = ${tunnels[i]?.number ?? 0}`,
  );
  return tunnels;
}

/** The node behind the KV caches. */
export function kvNodeOf(
  { kvNode, stations }: Pick<SetupFile, "kvNode" | "stations">,
  users: readonly User[],
  refuse: Refuse,
): SetupKvNode | undefined {
  if (kvNode === undefined) return undefined;
  const { ip, port } = refuse.named(stations, kvNode.station, "kvNode.station", "station"),
    { number } = refuse.named(users, kvNode.user, "kvNode.user", "user");
  refuse.unless(ip !== undefined, () => `kvNode.station: "${kvNode.station}" has no ip; give it one`);
  return { valid: true, user: number, ip, port, life: kvNode.life };
}

/** The nodes behind Go-Back-N: each of them is a station of its own port and address. */
export function gbnNodesOf(
  { gbnNodes, stations }: Pick<SetupFile, "gbnNodes" | "stations">,
  users: readonly User[],
  refuse: Refuse,
): GbnNode[] {
  refuse.once(
    gbnNodes,
    n => n.station,
    i => `gbnNodes[${i}].station = "${gbnNodes[i]?.station ?? ""}"`,
  );
  return gbnNodes.map((n, i) => {
    const { mac, ip, port } = refuse.named(stations, n.station, `gbnNodes[${i}].station`, "station"),
      { number } = refuse.named(users, n.user, `gbnNodes[${i}].user`, "user");
    refuse.unless(ip !== undefined, () => `gbnNodes[${i}].station: "${n.station}" has no ip; give it one`);
    return { mac, ip, port, user: number };
  });
}

/** Groups of nodes for replication: each of them is a station of its own port and address. */
export function replicasOf(
  { replicas, stations }: Pick<SetupFile, "replicas" | "stations">,
  users: readonly User[],
  refuse: Refuse,
): Replicas[] {
  const groups = replicas.map((r, i): Replicas => {
    const at = `replicas[${i}]`,
      { number: user } = refuse.named(users, r.user, `${at}.user`, "user"),
      number = r.number ?? i;
    const nodes = r.nodes.map((name, n) => {
      const { mac, ip, port } = refuse.named(stations, name, `${at}.nodes[${n}]`, "station");
      refuse.unless(ip !== undefined, () => `${at}.nodes[${n}]: "${name}" has no ip; give it one`);
      return { mac, ip, port };
    });
    refuse.once(
      r.nodes,
      n => n,
      n => `${at}.nodes[${n}] = "${r.nodes[n] ?? ""}"`,
    );
    return { name: r.name, arg: number, group: { number, user, nodes } };
  });
  refuse.once(
    groups,
    g => g.arg,
    i => `replicas[${i}].number = ${groups[i]?.arg ?? 0}`,
  );
  return groups;
}

/** Sizes of a group of buckets: two to 256, a power of two. */
const isGroup = (n: number): boolean => n >= 2 && n <= 256 && Number.isInteger(Math.log2(n));
export function balancersOf(
  file: Pick<SetupFile, "balancers">,
  users: readonly User[],
  stations: readonly Station[],
  refuse: Refuse,
): Balancer[] {
  const taken = new Map<number, number>();
  return file.balancers.map((b, i) => {
    const at = `balancers[${i}]`,
      n = b.backends.length,
      user = refuse.named(users, b.user, `${at}.user`, "user");
    refuse.unless(
      b.first % 8 === 0,
      () => `${at}.first = ${b.first}: must be a multiple of 8; the nearest is ${8 * Math.round(b.first / 8)}`,
    );
    refuse.unless(
      isGroup(n),
      () => `${at}.backends: there are ${n}; there must be 2, 4, 8 or another power of two up to 256`,
    );
    refuse.unless(
      b.first + n <= 256,
      () => `${at}.first = ${b.first}: ${n} buckets do not fit behind it; the last that does is ${256 - n}`,
    );
    for (let bucket = b.first; bucket < b.first + n; bucket++) {
      const other = taken.get(bucket);
      refuse.unless(
        other === undefined,
        () => `${at}.first = ${b.first}: bucket ${bucket} is that of balancers[${other ?? 0}], too; move one of them`,
      );
      taken.set(bucket, i);
    }
    return {
      name: b.name,
      first: b.first,
      user: user.number,
      macs: b.backends.map((s, k) => refuse.named(stations, s, `${at}.backends[${k}]`, "station").mac),
      arg: b.first + Math.log2(n) - 1,
    };
  });
}
