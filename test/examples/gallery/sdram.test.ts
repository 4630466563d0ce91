import "../../../examples/gallery/sdram/test/sdram.test.ts";
