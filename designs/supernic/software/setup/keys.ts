/** Keys of the tasks that encrypt: each has one, and no two tasks make nonces with the same. */
import { aesCounterBits, aesFrontBytes, aesLaunchWord, aesRowWords, type ConfigWord } from "../../wire/index.ts";
import type { Refuse } from "./refuse.ts";
import { cipherTasks, type SetupFile } from "./schema.ts";
import type { Chain, Setup, SetupKey, Tunnel, User } from "./setup.ts";

/** Tasks that put nonces into frames. */
const makers: readonly string[] = cipherTasks.slice(0, 2);
const hex = (key: Uint8Array): string => Buffer.from(key).toString("hex");

interface Known {
  readonly users: readonly User[];
  readonly tunnels: readonly Tunnel[];
  readonly chains: readonly Chain[];
}
/** Where a task of this name stands, in a region or in a chain that waits for one. */
const placesOf = ({ chains }: Pick<Known, "chains">, task: string): string[] =>
  chains.flatMap(({ name, tasks, regions }) => {
    const places = regions.length > 0 ? regions.map(r => `regions[${r}]`) : [`bitstreams: ${name}`];
    return tasks.filter(t => t.name === task).flatMap(() => places);
  });

/** @throws ConfigError in a sentence for a key that cannot be, and for one with which a nonce could be used twice */
export function keysOf(file: SetupFile, known: Known, refuse: Refuse): SetupKey[] {
  const { keys, stations } = file,
    at = (i: number): string => `keys[${i}]`;
  refuse.once(
    keys,
    k => k.task,
    i => `${at(i)}.task = "${keys[i]?.task ?? ""}"`,
  );
  const making = keys.map(k => makers.includes(k.task));
  refuse.once(
    keys.filter((_, i) => making[i]),
    k => hex(k.key),
    i => `${at(keys.findIndex(k => k === keys.filter((_, n) => making[n])[i]))}.key`,
  );
  refuse.unless(
    file.launch !== undefined || !making.includes(true),
    () => `launch: it is left out, and ${at(making.indexOf(true))} makes nonces; give a number that no run before had`,
  );
  return keys.map((k, i): SetupKey => {
    const { number: user } = refuse.named(known.users, k.user, `${at(i)}.user`, "user"),
      row = { valid: true, number: k.number, user, key: k.key },
      places = placesOf(known, k.task);
    if (!makers.includes(k.task)) {
      const mac = (name: string | undefined, field: string): bigint => {
        refuse.unless(name !== undefined, () => `${at(i)}.${field}: it is left out; name a station`);
        return refuse.named(stations, name, `${at(i)}.${field}`, "station").mac;
      };
      return {
        name: k.name,
        arg: 0,
        task: k.task,
        row: { ...row, destination: mac(k.to, "to"), source: mac(k.from, "from") },
      };
    }
    refuse.unless(
      places.length < 2,
      () => `${at(i)}: ${k.task} stands in ${places.join(" and ")}, and both would use the same nonces; leave one`,
    );
    refuse.unless(
      k.tunnel !== undefined,
      () => `${at(i)}.tunnel: it is left out; name a tunnel of ${aesFrontBytes} bytes`,
    );
    const tunnel = refuse.named(known.tunnels, k.tunnel ?? "", `${at(i)}.tunnel`, "tunnel");
    refuse.unless(
      tunnel.row.user === user && !tunnel.row.opens && tunnel.row.bytes === aesFrontBytes,
      () => `${at(i)}.tunnel = "${tunnel.name}": it must be of the same user, and put ${aesFrontBytes} bytes in front`,
    );
    const front = { template: tunnel.number, frontBytes: aesFrontBytes };
    return { name: k.name, arg: 0, task: k.task, row: { ...row, ...front } };
  });
}

/**
 * The words of a task's key. One that makes nonces is launched: with the setup's number, and `more` behind it. Without
 * a number of 24 bits that is left it is not launched: it drops its packets, and never begins again.
 */
export function keyWords(
  task: string,
  { keys, launch, number }: Pick<Setup, "keys" | "launch" | "number">,
  more: number,
): readonly ConfigWord[] {
  const own = keys.filter(k => k.task === task);
  if (own.length === 0) return [];
  const rows = own.flatMap(k => aesRowWords(k.arg, k.row));
  const next = (launch ?? 1) + more;
  return makers.includes(task) && next < 2 ** aesCounterBits.launch ? [...rows, aesLaunchWord(number, next)] : rows;
}
