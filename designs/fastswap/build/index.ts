/** What of this system can be built. */
import type { Def } from "../../../hdl-dsl/index.ts";
import { makeSettings as makeNode, parametersOf } from "../../clio/config/index.ts";
import type { Settings } from "../config/index.ts";
import { FastswapNode } from "../rtl/index.ts";

/** The default memory node between two lanes. */
export const fastswapNode = ({ lanes }: Settings) => FastswapNode({ node: parametersOf(makeNode().config), lanes });

/** Settings of builds that are linted. */
export const matrix: readonly (readonly string[])[] = [["patience=0"], ["classBit=3", "bulkOut=64"]];

/** @returns the module that is emitted, drawn, linted, synthesized */
export const buildOf = (s: Settings): Def => fastswapNode(s);
