/** Written into the header of every emitted file; the same as in package.json (a test sees to it). */
export const GENERATOR = "mnemosyne hdl-dsl 0.2.0";
