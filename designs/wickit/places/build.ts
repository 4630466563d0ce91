import type { Def } from "../../../hdl-dsl/index.ts";
import type { Block } from "../../shared/command-line/index.ts";
import type { Settings } from "../config/index.ts";
import { ClientWic } from "../rtl/index.ts";
import { NodeWic } from "./node/node-wic.ts";
import type { NodeWicParameters } from "./node/parameters.ts";
import { SnicWic } from "./snic/snic-wic.ts";

/** What the host gives an offload of a node with the default frames. */
const host = { contexts: 16, maxData: 1466 } as const;

/** The offload of these settings, in the memory of the process that asks. */
export const nodeParameters = (
  s: Pick<Settings, "engine" | "beatBytes">,
  more: Partial<NodeWicParameters> = {},
): NodeWicParameters => ({ ...host, beatBytes: s.beatBytes, engine: s.engine, space: "client", base: 0n, ...more });

/** What the other places put around the engine, as it is measured; none where the build is another one. */
export const blocksBeside = ({ place, ...s }: Settings): readonly Block[] =>
  place === "client"
    ? [
        { definition: buildOf({ ...s, place: "node" }), names: ["NodeWic"] },
        { definition: buildOf({ ...s, place: "snic" }), names: ["SnicWic"] },
      ]
    : [];

/** The engine with what its place puts around it. */
export const buildOf = ({ engine, beatBytes, slots, place }: Settings): Def =>
  ({
    node: () => NodeWic(nodeParameters({ engine, beatBytes })),
    snic: () => SnicWic({ engine, slots }),
    client: () => ClientWic({ engine, beatBytes }),
  })[place]();
