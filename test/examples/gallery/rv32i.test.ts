import "../../../examples/gallery/rv32i/test/rv32i.test.ts";
