import type { BoardHook } from "../../shared/command-line/index.ts";
import { parseDevice, sizesOf, tasksOf } from "../build/index.ts";
import { boardDevice } from "./board-device.ts";

/** The device on boards: a MAC at each port. */
export const boardHook: BoardHook = {
  ports: parameters => {
    const build = parseDevice(Object.entries(parameters).map(([k, v]) => `${k}=${v}`));
    const { parameters: p, chains } = build;
    return { definition: boardDevice(tasksOf(chains))(sizesOf(build)), ports: p.ports, dataWidth: p.dataWidth };
  },
};
