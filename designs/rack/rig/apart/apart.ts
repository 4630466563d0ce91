import type { Apart } from "../fabric/index.ts";
import type { Rack } from "../../setup/index.ts";
import { shares } from "./shares.ts";
import { FarDevice, FarNode } from "./stand-ins.ts";
import { Thread } from "./thread.ts";

/**
 * Threads for some of a rack's members.
 * @param text of the setup file, which each thread reads for itself; `path`: its name, for sentences
 * @param threads in all, with the rack's own one
 * @returns undefined where one thread has all
 */
export function threadsFor(
  rack: Rack,
  { text, path, seed }: { readonly text: string; readonly path: string; readonly seed: number },
  threads: number,
): Apart | undefined {
  const [, ...others] = shares(rack, threads);
  if (others.length === 0) return undefined;
  const elsewhere = others.map(members => new Thread({ text, path, seed, members })),
    of = (member: number): Thread | undefined => elsewhere.find(t => t.members.includes(member));
  return {
    elsewhere,
    device: (member, o, time) => {
      const thread = of(member);
      return thread && new FarDevice(member, o, time, thread);
    },
    node: (member, o, time) => {
      const thread = of(member);
      return thread && new FarNode(member, o, time, thread);
    },
  };
}
