/** The form of a measured figure: its schema, its definition and the judgement of its claims. */
export { type AreaFigures, areaFiguresSchema } from "./area.ts";
export { type Definition, figureOf, type Options, type Result } from "./definition.ts";
export { judged } from "./judge.ts";
export {
  type Axis,
  type Beside,
  type Claim,
  type Figure,
  figureSchema,
  type Given,
  type Plot,
  type Report,
  reportSchema,
  type Series,
} from "./schema.ts";
