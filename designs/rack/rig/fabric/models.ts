import { simulate } from "../../../../sim/index.ts";
import { deviceDefinition } from "../../../supernic/rig/index.ts";
import type { Rack } from "../../setup/index.ts";
import { definitionOf } from "./node.ts";

/** Builds what a served rack is made of; whoever asks for it then finds it built. */
export async function modelsBuilt({ devices, nodes }: Rack): Promise<void> {
  for (const { setup, parameters } of devices) (await simulate(deviceDefinition(setup, parameters))).free();
  for (const { settings } of nodes) (await simulate(definitionOf(settings))).free();
}
