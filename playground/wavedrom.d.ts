/** What the page uses of WaveDrom, which has no types of its own. */
declare module "wavedrom" {
  const wavedrom: {
    readonly renderAny: (index: number, source: object, skin: object) => object;
    readonly waveSkin: object;
    readonly onml: { readonly stringify: (tree: object) => string };
  };
  export default wavedrom;
}
