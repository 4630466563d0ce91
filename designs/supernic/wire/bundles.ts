/** Headers as hardware hands them on: one field each, in plain binary; and kinds, under the names of the tables. */
import { enumOf } from "../../../hdl-dsl/index.ts";
import { shapeOf } from "../../shared/wire/index.ts";
import { descriptorOf, type DescriptorParameters } from "./descriptor.ts";
import { linkKind, linkShim, snicKind, snicShim, vlanTag } from "./shims.ts";

export const LinkShim = shapeOf(linkShim);
export const VlanTag = shapeOf(vlanTag);
export const SnicShim = shapeOf(snicShim);
export const Descriptor = (p: DescriptorParameters) => shapeOf(descriptorOf(p));

/** The link shim's kind: 4 bits. */
export const LinkKind = enumOf("LinkKind", linkKind, { width: 4 });
/** The sNIC shim's kind: 4 bits. */
export const SnicKind = enumOf("SnicKind", snicKind, { width: 4 });
