/** The software with a fault planted in its source, as a module of its own. */
import type * as software from "../../../../../designs/supernic/drf/index.ts";
import { withSourceFault } from "../../../../support/source-fault.ts";

type Software = Pick<typeof software, "drfExact" | "drfFixed">;

/** @throws when no file has the text, or more than one place */
export async function mutant(from: string, to: string): Promise<Software> {
  const beside = { "../config/index.ts": "designs/supernic/config/drf.ts" };
  return (await withSourceFault("designs/supernic/drf", from, to, beside)) as Software;
}
