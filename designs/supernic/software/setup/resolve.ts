/** From a setup file to a setup: names become numbers, and what cannot be is refused in a sentence. */
import { ConfigError } from "../../config/index.ts";
import { checkFile } from "../../../shared/settings/index.ts";
import { chainsOf } from "./chains.ts";
import { dagsOf } from "./dags.ts";
import { Refuse } from "./refuse.ts";
import { keysOf } from "./keys.ts";
import { balancersOf, firewallOf, gbnNodesOf, kvNodeOf, replicasOf, tunnelsOf } from "./rows.ts";
import { rulesOf } from "./rules.ts";
import { type SetupFile, setupSchema } from "./schema.ts";
import type { Chain, DeclaredOf, Setup, SetupSizes, User } from "./setup.ts";

const cellBytes = 256,
  headerBytes = 64;

/** An equal share of what the others leave. */
function shares(given: readonly (number | undefined)[], all: number): number[] {
  const left = given.reduce<number>((n, x) => n - (x ?? 0), all),
    without = given.filter(x => x === undefined).length;
  return given.map(x => x ?? Math.floor(left / without));
}
function usersOf(file: SetupFile, sizes: SetupSizes, refuse: Refuse): User[] {
  const quotas = (["contexts", "cells"] as const).map(what => {
    const own = shares(
      file.users.map(u => u[what]),
      sizes[what],
    );
    const sum = own.reduce((n, x) => n + x, 0),
      // Arrivals leave as much of a quota as one frame of a second pass needs (docs/supernic/merge.md).
      frames = 2 * (what === "cells" ? Math.ceil((sizes.frameBytes - headerBytes) / cellBytes) : 1);
    refuse.unless(
      sum <= sizes[what] && own.every(n => n > 0),
      () => `users: their ${what} are ${sum}, and there are ${sizes[what]}; give some of them fewer`,
    );
    const small = own.findIndex(n => n < frames);
    refuse.unless(
      small < 0,
      () =>
        `users[${small}].${what} = ${own[small] ?? 0}: the longest frame and one of a second pass take ${frames}; give it that many`,
    );
    return own;
  });
  const users = file.users.map((u, i): User => ({
    name: u.name,
    number: u.number ?? i + 1,
    class: u.class,
    bytesPerEpoch: u.bytesPerEpoch === "unlimited" ? undefined : u.bytesPerEpoch,
    contexts: quotas[0]?.[i] ?? 0,
    cells: quotas[1]?.[i] ?? 0,
    memory: u.memory,
    key: u.key,
  }));
  for (const [i, u] of users.entries())
    refuse.unless(u.number < sizes.users, () =>
      sizes.users === 1
        ? `users[${i}].number = ${u.number}: the device has no user but 0, who is nobody; set users=${u.number + 1}`
        : `users[${i}].number = ${u.number}: the device has users 1 to ${sizes.users - 1}; give it one of these, or set users=${u.number + 1}`,
    );
  for (const of of ["name", "number"] as const)
    refuse.once(
      users,
      u => u[of],
      i => `users[${i}].${of} = ${JSON.stringify(users[i]?.[of])}`,
    );
  return users;
}

const around = (p: SetupFile["peers"][number], at: string): readonly (readonly [string, number])[] =>
  p.around === undefined ? [] : [[at, p.around.port]];
function checkPlaces(file: SetupFile, sizes: SetupSizes, refuse: Refuse): void {
  refuse.unless(
    file.ports.length === sizes.ports,
    () =>
      `ports: there are ${file.ports.length}, and the device has ${sizes.ports}; name each, or set ports=${file.ports.length}`,
  );
  const isThere = (port: number, at: string): void =>
    refuse.unless(
      port < sizes.ports,
      () => `${at} = ${port}: the ports are 0 to ${sizes.ports - 1}; name one of these`,
    );
  if (file.uplink !== undefined) isThere(file.uplink, "uplink");
  for (const [i, s] of file.stations.entries()) isThere(s.port, `stations[${i}].port`);
  for (const [i, p] of file.peers.entries()) {
    for (const [at, port] of [[`peers[${i}].port`, p.port] as const, ...around(p, `peers[${i}].around.port`)]) {
      isThere(port, at);
      refuse.unless(
        file.ports[port]?.peer === true,
        () => `${at} = ${port}: ports[${port}].peer is false; set it to true, or name another port`,
      );
    }
    refuse.unless(
      p.around?.port !== p.port,
      () => `peers[${i}].around.port = ${p.port}: that is the first way; name another port, or leave it out`,
    );
  }
  for (const [i, s] of file.stations.entries())
    if (s.behind !== undefined) refuse.named(file.peers, s.behind, `stations[${i}].behind`, "peer");
  const macs = [{ name: "mac", mac: file.mac }, ...file.stations, ...file.peers],
    where = (i: number): string =>
      i === 0
        ? "mac"
        : i <= file.stations.length
          ? `stations[${i - 1}].mac`
          : `peers[${i - 1 - file.stations.length}].mac`;
  refuse.fits(macs.slice(1), sizes.macs, "stations and peers", "MACs");
  refuse.once(macs, m => m.mac, where);
  refuse.once(
    file.stations,
    s => s.name,
    i => `stations[${i}].name = "${file.stations[i]?.name ?? ""}"`,
  );
}

/** @param path of the file, for sentences. @throws ConfigError in one sentence that names field, value and remedy */
export function resolveSetup(file: SetupFile, path: string, sizes: SetupSizes, declared: DeclaredOf): Setup {
  const refuse: Refuse = new Refuse(path);
  checkPlaces(file, sizes, refuse);
  const users = usersOf(file, sizes, refuse),
    { chains, regions, bitstreams } = chainsOf(file, sizes, declared, refuse);
  /** Where a task stands that needs something of the setup. */
  const placeOf = (needs: (name: string) => boolean): string | undefined => {
    const has = (tasks: Chain["tasks"] | undefined): boolean => tasks?.some(t => needs(t.name)) === true,
      region = regions.findIndex(c => has(c?.tasks)),
      waits = chains.find(c => c.regions.length === 0 && has(c.tasks));
    return region >= 0 ? `regions[${region}]` : waits && `bitstreams: ${waits.name}`;
  };
  const withNat = placeOf(n => n === "nat");
  refuse.unless(
    withNat === undefined || file.nat !== undefined,
    () => `nat: it is left out, and ${withNat} has a nat; say its address`,
  );
  const withCache = placeOf(n => n.startsWith("kv_"));
  refuse.unless(
    withCache === undefined || file.kvNode !== undefined,
    () => `kvNode: it is left out, and ${withCache} has a KV cache; say its station`,
  );
  const withReplicas = placeOf(n => n === "replicate");
  refuse.unless(
    withReplicas === undefined || file.replicas.length > 0,
    () => `replicas: there are none, and ${withReplicas} has a replicate; give a group of nodes`,
  );
  const withSessions = placeOf(n => n === "go_back_n");
  refuse.unless(
    withSessions === undefined || file.gbnNodes.length > 0,
    () => `gbnNodes: there are none, and ${withSessions} has a go_back_n; give the nodes behind it`,
  );
  const tunnels = tunnelsOf(file, users, refuse),
    balancers = balancersOf(file, users, file.stations, refuse),
    replicas = replicasOf(file, users, refuse),
    keys = keysOf(file, { users, tunnels, chains }, refuse),
    known = { sizes, users, chains, peers: file.peers, tunnels, balancers, replicas, keys };
  const dags = dagsOf(file, known, refuse);
  refuse.unless(
    !file.spill || bitstreams !== undefined,
    () => "spill: it is true, and there are no bitstreams, so no DAG ever waits; leave it out",
  );
  refuse.unless(
    !file.fair || bitstreams !== undefined,
    () => "fair: it is true, and there are no bitstreams, so nobody keeps shares; leave it out",
  );
  const { mac, ip, number, ports, uplink, epoch, urgentClass, stations, peers, nat } = file;
  return {
    ...{
      sizes,
      mac,
      ip,
      number,
      ports,
      uplink,
      epoch,
      urgentClass,
      stations,
      peers,
      users,
      chains,
      regions,
      bitstreams,
      spill: file.spill,
      fair: file.fair,
      nat,
      tunnels,
      balancers,
      kvNode: kvNodeOf(file, users, refuse),
      keys,
      launch: file.launch,
      gbnNodes: gbnNodesOf(file, users, refuse),
      replicas,
      replicaLife: file.replicaLife,
      dags,
    },
    firewall: firewallOf(file, users, refuse),
    rules: rulesOf(file, { ...known, dags }, refuse),
  };
}
/** A setup of a file's text. @throws ConfigError as `resolveSetup`, and for text that is no setup file */
export const readSetup = (text: string, path: string, sizes: SetupSizes, declared: DeclaredOf): Setup =>
  resolveSetup(checkFile(setupSchema, path, text, ConfigError), path, sizes, declared);
