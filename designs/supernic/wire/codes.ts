/** Kinds as hardware compares them, under the names of the tables. */
import { enumOf } from "../../../hdl-dsl/index.ts";
import { linkKind, snicKind } from "./shims.ts";

/** The link shim's kind: 4 bits. */
export const LinkKind = enumOf("LinkKind", linkKind, { width: 4 });
/** The sNIC shim's kind: 4 bits. */
export const SnicKind = enumOf("SnicKind", snicKind, { width: 4 });
