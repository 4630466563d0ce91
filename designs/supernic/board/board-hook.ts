import type { BoardHook } from "../../shared/command-line/index.ts";
import { deviceSizes, parseDevice, tasksOf } from "../build/index.ts";
import { boardDevice } from "./board-device.ts";

/** The device on boards: a MAC at each port. */
export const boardHook: BoardHook = {
  ports: parameters => {
    const { parameters: p, chains } = parseDevice(Object.entries(parameters).map(([k, v]) => `${k}=${v}`));
    return { definition: boardDevice(tasksOf(chains))(deviceSizes(p)), ports: p.ports, dataWidth: p.dataWidth };
  },
};
