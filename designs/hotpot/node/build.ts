import type { Def } from "../../../hdl-dsl/index.ts";
import type { Block } from "../../shared/command-line/index.ts";
import type { Settings } from "../config/index.ts";
import { CommitTask } from "../task/index.ts";
import { CommitEngine } from "./engine/commit-engine.ts";
import type { CommitParameters } from "./engine/types.ts";

/** What the host gives an offload of a node with the default frames; the log at 1 MB of the engine's space. */
export const parametersOf = ({ contexts, director }: Pick<Settings, "contexts" | "director">): CommitParameters => ({
  ...{ contexts, maxData: 1466, beatBytes: 64, base: 1n << 20n, director },
});
/** The engine of these settings, or the task. */
export const buildOf = (s: Settings): Def =>
  s.place === "snic" ? CommitTask({ contexts: s.contexts }) : CommitEngine(parametersOf(s));
/** The task is measured beside the engine; none where the build is the task. */
export const blocksBeside = ({ place, contexts }: Settings): readonly Block[] =>
  place === "node" ? [{ definition: CommitTask({ contexts: Math.min(contexts, 16) }), names: ["CommitTask"] }] : [];
