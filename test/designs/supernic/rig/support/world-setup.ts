/** Random setups for builds of the device: who is there, what they may hold, and what their packets go through. */
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { ConfigError, type Parameters } from "../../../../../designs/supernic/config/index.ts";
import { readSetup, type Setup } from "../../../../../designs/supernic/software/index.ts";
import type { Random } from "../../../../../sim/index.ts";

/** The chain of each region: its name, and its tasks. */
export interface WorldChain {
  readonly chain: string;
  readonly tasks: readonly string[];
}
const mac = (n: number): string =>
  `02:5d:00:00:${(n >> 8).toString(16).padStart(2, "0")}:${(n & 255).toString(16).padStart(2, "0")}`;
const list = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const cellsOf = (frameBytes: number): number => Math.ceil((frameBytes - 64) / 256);

/** Few contexts and cells each, so that they are what packets wait for. */
function usersOf(r: Random, p: Parameters) {
  const count = r.between(1, Math.min(3, p.users - 1)),
    longest = cellsOf(p.mtuFrame);
  return list(count, i => ({
    name: `user${i}`,
    class: r.between(0, 3),
    contexts: r.between(2, Math.floor(p.contexts / count)),
    cells: r.between(2 * longest, Math.max(2 * longest, Math.floor(p.cells / count))),
    ...(r.chance(0.3) && { bytesPerEpoch: r.between(2_000, 60_000) }),
  }));
}
const outside = "198.51.100.1";

/** A DAG as it may be; whether it can be, the setup says. */
function candidate(
  r: Random,
  i: number,
  users: readonly { readonly name: string }[],
  chains: readonly WorldChain[],
  p: Parameters,
) {
  const user = r.pick(users).name,
    names = [...new Set(chains.map(c => c.chain))];
  const branch = () => {
    const name = r.pick(names),
      tasks = chains.find(c => c.chain === name)?.tasks ?? [],
      all = tasks.map((_, slot) => slot),
      run = r.chance(0.5) ? all : all.filter(() => r.chance(0.6)),
      taken = (run.length === 0 ? [0] : run).map(slot => tasks[slot] ?? "");
    const arg = taken.includes("tunnel")
      ? `${r.pick(["wrap", "open", "label"])}-${user}`
      : taken.includes("balancer")
        ? `web-${user}`
        : r.between(0, 3);
    return { chain: name, run: run.length === 0 ? [0] : run, arg };
  };
  const egress = r.pick(["mac", "mac", "mac", "back", "loop", { port: r.between(0, p.ports - 1) }] as const);
  return {
    name: `dag${i}`,
    user,
    uid: 0x0400 + i + 1,
    stages: list(r.between(1, 3), () => list(r.between(1, p.branches), branch)),
    egress,
    ...(r.chance(0.3) && { keepShim: true }),
    ...(r.chance(0.2) && { unordered: true }),
    ...(r.chance(0.2) && { ports: list(p.ports, n => n).filter(() => r.chance(0.7)) }),
  };
}

/** A setup that the build takes. */
export function worldSetup(r: Random, p: Parameters, chains: readonly WorldChain[]): Setup {
  const users = usersOf(r, p),
    names = users.map(u => u.name),
    last = p.ports - 1,
    withPeer = r.chance(0.5);
  const stations = list(2 * p.ports, i => ({
    name: `host${i}`,
    mac: mac(0x100 + i),
    ip: `10.1.${i % p.ports}.${1 + Math.floor(i / p.ports)}`,
    port: i % p.ports,
  }));
  const file = {
    mac: mac(1),
    ip: "10.1.255.1",
    number: r.between(0, 255),
    epoch: r.pick([500, 2_000, 5_000]),
    ports: list(p.ports, i => ({
      peer: withPeer && i === last,
      control: r.chance(0.8),
      class: r.between(0, 7),
    })),
    ...(r.chance(0.7) && { uplink: r.between(0, last) }),
    stations,
    peers: withPeer ? [{ name: "peer", mac: mac(2), port: last }] : [],
    users,
    regions: chains,
    firewall: list(r.between(0, 6), () => ({
      ...(r.chance() && { user: r.pick(names) }),
      ...(r.chance() && { to: `10.1.${r.between(0, last)}.0/24` }),
      ...(r.chance(0.3) && { toPort: 5_000 + r.between(0, 7) }),
      action: r.chance(0.7) ? "pass" : "drop",
    })),
    nat: { address: outside, ports: r.between(0, 15) },
    tunnels: names.flatMap((user, i) => [
      { name: `wrap-${user}`, user, vxlan: { dst: mac(0x100), from: "10.9.0.1", to: "10.9.0.2", vni: 70 + i } },
      { name: `open-${user}`, user, opens: 70 + i },
      { name: `label-${user}`, user, bytes: "02025d0000010002025d000000010001".slice(0, 2 * r.between(14, 16)) },
    ]),
    balancers: names.map((user, i) => ({
      name: `web-${user}`,
      first: 8 * i,
      user,
      backends: list(2 ** r.between(1, 3), () => r.pick(stations).name),
    })),
    dags: [] as ReturnType<typeof candidate>[],
    rules: [] as unknown[],
  };
  const setupOf = (): Setup =>
    readSetup(JSON.stringify(file), "world", deviceSizes(p), task => taskNamed(task).declared);
  setupOf();
  const wanted = r.between(3, 8);
  for (let tries = 0; file.dags.length < wanted && tries < 80; tries++) {
    file.dags.push(candidate(r, file.dags.length, users, chains, p));
    try {
      setupOf();
    } catch (e) {
      if (!(e instanceof ConfigError)) throw e;
      file.dags.pop();
    }
  }
  const someDag = () => r.pick(file.dags).name;
  if (withPeer && r.chance()) file.rules.push({ to: "10.7.0.0/16", action: { peer: "peer" } });
  file.rules.push(
    { dst: "ff:ff:ff:ff:ff:ff", etherType: 0x0806, action: "software" },
    { protocol: 17, toPort: 5_900, action: "drop" },
    { protocol: 17, toPort: 4789, ...(r.chance() && { ports: ["loop"] }), action: { dag: someDag() } },
    { to: "10.1.0.0/24", protocol: 6, action: { dag: someDag() } },
    { to: outside, action: { dag: someDag() } },
    { etherType: 0x88cc, action: { port: r.between(0, last) } },
    { protocol: 17, toPort: 123, action: "software" },
  );
  return setupOf();
}
