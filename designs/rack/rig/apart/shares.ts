/** Which thread simulates which member. */
import type { Rack } from "../../setup/index.ts";

/** What a cycle costs, roughly: `mnemo bench rack` prints both. */
const weights = { device: 3, node: 2 } as const;

/**
 * Shares of all members' places, the largest members first, each to the thread that has least. The first share is that
 * of the rack's own thread, with the first member: endpoints, switches and lines are in its time.
 */
export function shares({ devices, nodes }: Rack, threads: number): readonly (readonly number[])[] {
  const all = [...devices.map(() => weights.device), ...nodes.map(() => weights.node)],
    parts = Array.from({ length: Math.min(threads, all.length) }, () => ({ load: 0, members: [] as number[] }));
  for (const [member, weight] of all.entries()) {
    const least = parts.reduce((a, b) => (b.load < a.load ? b : a));
    least.load += weight;
    least.members.push(member);
  }
  return parts.map(p => p.members);
}
