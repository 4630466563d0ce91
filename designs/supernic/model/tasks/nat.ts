/** NAT: bindings by set, and a packet's checksums over all that they cover, as far as changes tell. */
import { updateChecksum } from "../../../shared/wire/index.ts";
import {
  natBindingsPart,
  natEpochBits,
  natIndexBits,
  natKey,
  type NatKey,
  natKeyOf,
  natPlaces,
  natSet,
  natTimePart,
  natWays,
  packState,
  tcpProtocol,
  unpackState,
} from "../../wire/index.ts";
import { hasIp, longOf, wordOf } from "./ip.ts";
import { passOn, type TaskAnswerModel, type TaskModel, type TaskPacketModel, writesAt } from "./task.ts";

interface Binding extends NatKey {
  used: number;
}
/** What a NAT knows: the bindings, and where outside is. */
export interface NatTable {
  readonly outside: number;
  /** Highest 4 bits of the ports outside. */
  readonly portHigh: number;
  /** The number of the binding of a packet on its way out, which is made or used; undefined: there is no room. */
  bindingFor(key: NatKey): number | undefined;
  /** Whose binding a number is, for a packet of this user and protocol on its way in. */
  ownerOf(binding: number, asks: Pick<NatKey, "user" | "udp">): Pick<NatKey, "address" | "port"> | undefined;
}
const udpNumber = 17;
const drop: TaskAnswerModel = { verdict: "drop" };
const bytesOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** (count - 1 - i)) & 255);

/** A checksum when words have changed, one after the other (RFC 1624). */
const changed = (sum: number, words: readonly (readonly [number, number])[]): number =>
  words.reduce((s, [before, after]) => updateChecksum(s, before, after), sum);

/** The packet with another source or destination, and all checksums right that were right. */
function translate(p: TaskPacketModel, udp: boolean, inbound: boolean, address: number, port: number): TaskAnswerModel {
  const { header } = p,
    from = inbound ? 30 : 26,
    portAt = inbound ? 36 : 34,
    sumAt = udp ? 40 : 50;
  const words = [
    [wordOf(header, from), Math.floor(address / 65_536)],
    [wordOf(header, from + 2), address & 65_535],
  ] as const;
  const ip = changed(wordOf(header, 24), words),
    before = wordOf(header, sumAt),
    sum = changed(before, [...words, [wordOf(header, portAt), port]]);
  const sent = !udp ? sum : before === 0 ? 0 : sum === 0 ? 0xffff : sum;
  return {
    verdict: "forward",
    writes: new Map([
      ...writesAt(24, bytesOf(ip, 2)),
      ...writesAt(from, bytesOf(address, 4)),
      ...writesAt(portAt, bytesOf(port, 2)),
      ...writesAt(sumAt, bytesOf(sent, 2)),
    ]),
  };
}

/** A NAT's answer to a packet, by what it knows. */
export function natAnswer(p: TaskPacketModel, table: NatTable): TaskAnswerModel {
  const { header, user } = p,
    udp = header[23] === udpNumber,
    inbound = (p.arg & 1) === 1,
    port = wordOf(header, 36);
  const whole = udp ? p.headBytes >= 42 : header[23] === tcpProtocol.number && p.headBytes >= 52,
    toOutside = longOf(header, 30) === table.outside && port >> natIndexBits === table.portHigh;
  if (!hasIp(p) || p.noL4 || !whole || (inbound && !toOutside)) return (p.arg & 2) === 0 ? drop : passOn;
  if (!inbound) {
    const key = { user, udp, address: longOf(header, 26), port: wordOf(header, 34) },
      binding = table.bindingFor(key);
    return binding === undefined
      ? drop
      : translate(p, udp, false, table.outside, table.portHigh * 2 ** natIndexBits + binding);
  }
  const owner = table.ownerOf(port & (2 ** natIndexBits - 1), { user, udp });
  return owner === undefined ? drop : translate(p, udp, true, owner.address, owner.port);
}

/** A time as hardware counts it. */
const timeOf = (epoch: number): bigint => BigInt(epoch & (2 ** natEpochBits - 1));

export function natModel(): TaskModel & { readonly live: () => number } {
  const sets = new Map<number, (Binding | undefined)[]>();
  let outside = 0,
    portHigh = 0,
    epoch = 0,
    life = 14;
  const lives = (b: Binding | undefined): b is Binding => b !== undefined && epoch - b.used <= life;
  const setOf = (n: number): (Binding | undefined)[] => {
    const found = sets.get(n) ?? Array.from({ length: natWays }, () => undefined);
    sets.set(n, found);
    return found;
  };
  const bindingFor = (key: NatKey): number | undefined => {
    const at = Number(natSet(natKey(key))),
      set = setOf(at);
    const same = set.findIndex(
      b => lives(b) && b.user === key.user && b.udp === key.udp && b.address === key.address && b.port === key.port,
    );
    const way = same >= 0 ? same : set.findIndex(b => !lives(b));
    if (way < 0) return undefined;
    set[way] = { ...key, used: epoch };
    return at * natWays + way;
  };
  const ownerOf: NatTable["ownerOf"] = (n, asks) => {
    const binding = setOf(Math.floor(n / natWays))[n % natWays];
    return lives(binding) && binding.user === asks.user && binding.udp === asks.udp ? binding : undefined;
  };
  return {
    live: () => [...sets.values()].flat().filter(lives).length,
    configure: (at, data) => {
      if (at === natPlaces.outside) [outside, portHigh] = [Number(data & 0xffffffffn), Number((data >> 32n) & 15n)];
      if (at === natPlaces.epoch) [epoch, life] = [epoch + 1, Number(data & 15n)];
    },
    answer: p => natAnswer(p, { outside, portHigh, bindingFor, ownerOf }),
    words: () => [
      { at: natTimePart.first, data: packState(natTimePart, { there: 1n, epoch: timeOf(epoch), life: BigInt(life) }) },
      ...[...sets]
        .flatMap(([set, list]) => list.map((b, way) => ({ at: natBindingsPart.first + set * natWays + way, b })))
        .filter((x): x is { at: number; b: Binding } => lives(x.b))
        .map(({ at, b }) => ({
          at,
          data: packState(natBindingsPart, { valid: 1n, key: natKey(b), epoch: timeOf(b.used) }),
        }))
        .sort((a, b) => a.at - b.at),
    ],
    put: ({ at, data }) => {
      if (at === natTimePart.first) {
        const time = unpackState(natTimePart, data);
        [epoch, life] = [Number(time["epoch"]), Number(time["life"])];
        return;
      }
      const { valid, key = 0n, epoch: used = 0n } = unpackState(natBindingsPart, data),
        n = at - natBindingsPart.first;
      const age = (epoch - Number(used)) & (2 ** natEpochBits - 1);
      setOf(Math.floor(n / natWays))[n % natWays] = valid === 1n ? { ...natKeyOf(key), used: epoch - age } : undefined;
    },
  };
}
