import type { Settings } from "../../designs/clio/config/index.ts";
import { clioNode } from "../../designs/clio/rtl/index.ts";
import { Scoreboard } from "../../designs/clio/model/index.ts";
import { Mixture } from "../../designs/clio/workload/index.ts";
import { compareSpeed, type Speeds } from "../speed/compare.ts";
import { SimulatedNode } from "./simulated-node.ts";

/**
 * Speed of simulating the node under random requests, all of them judged: the bench with MAC, memory, slow path and scoreboard; the same inputs played to the
 * same model from TypeScript; and from a plain C++ program.
 */
export function compareNodeSpeed(settings: Settings, o: { readonly seed: number; readonly requests: number; readonly repeats?: number }): Promise<Speeds> {
  return compareSpeed(clioNode(settings.config), { seed: o.seed, repeats: o.repeats ?? 3, hangCycles: 20_000 }, async (bench) => {
    const scoreboard = new Scoreboard(settings.config, settings.runtime), mixture = new Mixture(settings, { seed: o.seed });
    const node = await SimulatedNode.start(bench, settings, { slowPath: { observer: scoreboard } });
    const entering: { readonly bytes: Uint8Array; readonly sent: ReturnType<SimulatedNode["send"]> }[] = [];
    bench.onEdge({ sample: () => {
      for (let f = node.take(); f !== undefined; f = node.take()) scoreboard.reply(f.bytes, f.end);
      for (let e = entering[0]; e?.sent.end !== undefined; e = entering[0]) { entering.shift(); scoreboard.issue(e.bytes, e.sent.end); }
    } });
    const send = (bytes: Uint8Array): void => { entering.push({ bytes, sent: node.send(bytes) }); };
    const inFlight = (): number => entering.length + scoreboard.outstanding;
    for (const frame of mixture.setup()) { send(frame); await bench.until(() => inFlight() === 0); }
    for (let i = 0; i < o.requests; i++) {
      send(mixture.next());
      if (inFlight() >= 128) await bench.until(() => inFlight() < 96);
    }
    await bench.until(() => inFlight() === 0);
    node.transport.close();
    if (scoreboard.problems.length > 0) throw new Error(`the speed run is wrong: ${scoreboard.problems[0] ?? ""}`);
  });
}
