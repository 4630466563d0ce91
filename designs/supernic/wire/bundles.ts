/** Headers as hardware hands them on: one field each, in plain binary. */
import { shapeOf } from "../../shared/wire/index.ts";
import { descriptorOf, type DescriptorParameters } from "./descriptor.ts";
import { linkShim, snicShim, vlanTag } from "./shims.ts";

export const LinkShim = shapeOf(linkShim);
export const VlanTag = shapeOf(vlanTag);
export const SnicShim = shapeOf(snicShim);
export const Descriptor = (p: DescriptorParameters) => shapeOf(descriptorOf(p));
