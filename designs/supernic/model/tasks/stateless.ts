/** Models of the tasks that keep nothing but their configuration: checksum, load balancer, tunnel, firewall. */
import { balancerRow, firewallKey, type FirewallRule, tunnelBytes, tunnelPort, tunnelRow } from "../../wire/index.ts";
import { checksumHolds, hasIp, ipAt, longOf, rightChecksum, wordOf } from "./ip.ts";
import { passOn, type TaskAnswerModel, type TaskModel, writesAt } from "./task.ts";

const drop: TaskAnswerModel = { verdict: "drop" };
const cut = (data: bigint, at: number, bits: number): number =>
  Number((data >> BigInt(at)) & ((1n << BigInt(bits)) - 1n));

export const checksumModel = (): TaskModel => ({
  answer: p => {
    if (!hasIp(p)) return (p.arg & 2) === 0 ? passOn : drop;
    if ((p.arg & 1) === 0) return checksumHolds(p.header) ? passOn : drop;
    const sum = rightChecksum(p.header);
    return { verdict: "forward", writes: new Map(writesAt(ipAt + 10, [sum >> 8, sum])) };
  },
});

/** Rows by their number; writes behind them are ignored. */
const rowsOf = (count: number) => {
  const rows = new Map<number, bigint>();
  return {
    row: (at: number): bigint => rows.get(at) ?? 0n,
    configure: (at: number, data: bigint): void => void (at < count && rows.set(at, data)),
  };
};
export function balancerModel(): TaskModel {
  const { row, configure } = rowsOf(256);
  return {
    configure,
    answer: p => {
      const size = 2 ** ((p.arg & 7) + 1),
        at = ((p.arg >> 3) * 8 + (p.flowHash % size)) % 256,
        data = row(at);
      if (cut(data, balancerRow.valid, 1) === 0 || cut(data, balancerRow.user, 6) !== p.user) return drop;
      const mac = Array.from({ length: 6 }, (_, i) => cut(data, balancerRow.mac + 40 - 8 * i, 8));
      return { verdict: "forward", writes: new Map(writesAt(0, mac)) };
    },
  };
}
export function tunnelModel(): TaskModel {
  const { row, configure } = rowsOf(256);
  return {
    configure,
    answer: p => {
      const data = row(p.arg);
      if (p.arg === 0 || cut(data, tunnelRow.valid, 1) === 0 || cut(data, tunnelRow.user, 6) !== p.user) return drop;
      if (cut(data, tunnelRow.opens, 1) === 0) {
        const frontBytes = cut(data, tunnelRow.bytes, 7);
        return frontBytes === 0 ? drop : { verdict: "forward", prepend: p.arg, frontBytes };
      }
      const { header } = p,
        isVxlan = hasIp(p) && !p.noL4 && header[23] === 17 && wordOf(header, 36) === tunnelPort,
        vni = wordOf(header, 46) * 256 + (header[48] ?? 0);
      const opens =
        isVxlan && ((header[42] ?? 0) & 8) !== 0 && p.headBytes === 64 && vni === cut(data, tunnelRow.vni, 24);
      return opens ? { verdict: "forward", dropFront: tunnelBytes } : drop;
    },
  };
}

/** The first rule that matches decides, by going through all of them; `rules` may change between packets. */
export const firewallModel = (rules: readonly (FirewallRule | undefined)[]): TaskModel => ({
  answer: p => {
    if (!hasIp(p)) return (p.arg & 2) === 0 ? passOn : drop;
    const ports = !p.noL4,
      key = firewallKey({
        user: p.user,
        src: longOf(p.header, 26),
        dst: longOf(p.header, 30),
        protocol: p.header[23] ?? 0,
        srcPort: ports ? wordOf(p.header, 34) : 0,
        dstPort: ports ? wordOf(p.header, 36) : 0,
        hasPorts: ports ? 1 : 0,
      });
    const rule = rules.find(r => r?.enabled === true && ((r.value ^ key) & r.mask) === 0n),
      drops = rule ? rule.drops : (p.arg & 1) !== 0;
    return drops ? drop : passOn;
  },
});
