import "../../../examples/gallery/aes128/test/aes128.test.ts";
