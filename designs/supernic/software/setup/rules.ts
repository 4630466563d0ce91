import { type RuleKey, ruleKey } from "../../wire/index.ts";
import { portBits } from "./dags.ts";
import type { Refuse } from "./refuse.ts";
import { prefixMask } from "./rows.ts";
import type { SetupFile } from "./schema.ts";
import type { Setup, SetupRule } from "./setup.ts";

type RuleFile = SetupFile["rules"][number];
type Known = Pick<Setup, "sizes" | "dags" | "peers">;
const none: RuleKey = { dst: 0n, etherType: 0, ipDst: 0, protocol: 0, dstPort: 0, hasIp: 0, hasPorts: 0 };
const ifGiven = (given: unknown, mask: number): number => (given === undefined ? 0 : mask);

/** Value and mask. A rule that looks at a field is met by frames that have it only. */
function ternaryOf(r: RuleFile) {
  const hasIp = r.to !== undefined || r.protocol !== undefined ? 1 : 0,
    hasPorts = r.toPort === undefined ? 0 : 1;
  const mask = ruleKey({
    ...none,
    dst: r.dst === undefined ? 0n : 2n ** 48n - 1n,
    etherType: ifGiven(r.etherType, 0xffff),
    ipDst: prefixMask(r.to),
    protocol: ifGiven(r.protocol, 0xff),
    dstPort: ifGiven(r.toPort, 0xffff),
    hasIp,
    hasPorts,
  });
  const value = ruleKey({
    dst: r.dst ?? 0n,
    etherType: r.etherType ?? 0,
    ipDst: r.to?.address ?? 0,
    protocol: r.protocol ?? 0,
    dstPort: r.toPort ?? 0,
    hasIp,
    hasPorts,
  });
  return { value: value & mask, mask };
}

function actionOf(action: RuleFile["action"], at: string, { sizes, dags, peers }: Known, refuse: Refuse) {
  const plain = { port: 0, uid: 0 };
  if (typeof action === "string") return { ...plain, action };
  if ("port" in action) {
    refuse.unless(
      action.port < sizes.ports,
      () => `${at}.port = ${action.port}: the ports are 0 to ${sizes.ports - 1}; name one of these`,
    );
    return { ...plain, action: "port", port: action.port } as const;
  }
  if ("dag" in action)
    return { ...plain, action: "uid", uid: refuse.named(dags, action.dag, `${at}.dag`, "DAG").uid } as const;
  if ("uid" in action) return { ...plain, action: "uid", uid: action.uid } as const;
  return {
    ...plain,
    action: "peer",
    port: peers.indexOf(refuse.named(peers, action.peer, `${at}.peer`, "peer")),
  } as const;
}

export function rulesOf(file: Pick<SetupFile, "rules">, known: Known, refuse: Refuse): SetupRule[] {
  refuse.fits(file.rules, known.sizes.rules, "rules", "rules");
  return file.rules.map((r, i) => ({
    ...ternaryOf(r),
    name: r.name ?? `rule ${i}`,
    ...actionOf(r.action, `rules[${i}].action`, known, refuse),
    ports: portBits(r.ports, known.sizes.ports, `rules[${i}].ports`, refuse),
  }));
}
