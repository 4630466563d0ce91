/** Clock-domain crossings without a synchroniser: in the module, and into the registers of its instances. */
import type { Diagnostic } from "../ir/diagnostic.ts";
import { capturedBy, finding, type Study } from "./study.ts";

export function checkDomains(s: Study): Diagnostic[] {
  const out: Diagnostic[] = [];
  const reported = new Set<unknown>();
  for (const c of s.captures) {
    const own = c.domain.name;
    const foreign = [...s.facts.domainsOf(c.expr)].find(d => d !== own);
    if (foreign === undefined || reported.has(c.signal ?? c.name)) continue;
    reported.add(c.signal ?? c.name);
    const from = s.facts.foreignSource(c.expr, own);
    out.push(
      finding(
        s,
        "HDL010",
        `${c.what} \`${c.name}\` in clock domain \`${own}\` takes \`${from?.name ?? "a value"}\` of clock domain \`${foreign}\` without a synchroniser`,
        "Cross with a synchroniser or an asynchronous FIFO; a synchroniser's first register is declared with the attribute async_reg",
        c.position,
        from?.position,
      ),
    );
  }
  for (const d of s.circuit.made) {
    const { reset, raw } = d.made ?? {};
    if (reset === undefined || raw === true) continue;
    const foreign = [...s.facts.domainsOfSignal(reset)].find(x => x !== d.name);
    if (foreign !== undefined)
      out.push(
        finding(
          s,
          "HDL010",
          `the reset of clock domain \`${d.name}\` comes from clock domain \`${foreign}\` without a synchroniser`,
          "Make the domain with generatedClock, which synchronises the end of its reset",
          reset.position,
        ),
      );
  }
  for (const i of s.circuit.instances) {
    for (const [leaf, domains] of capturedBy(i)) {
      const signal = i.connections.get(leaf);
      if (signal === undefined) continue;
      const own = new Set([...domains].map(d => i.domains.get(d)?.name ?? d));
      const foreign = [...s.facts.domainsOfSignal(signal)].find(d => !own.has(d) || own.size > 1);
      if (foreign === undefined) continue;
      out.push(
        finding(
          s,
          "HDL010",
          `instance input \`${signal.name}\` is registered in clock domain \`${[...own].join("` and `")}\` and comes from clock domain \`${foreign}\` without a synchroniser`,
          "Cross with a synchroniser or an asynchronous FIFO",
          signal.position,
        ),
      );
    }
  }
  return out;
}
