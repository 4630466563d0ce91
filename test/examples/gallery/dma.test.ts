import "../../../examples/gallery/dma/test/dma.test.ts";
