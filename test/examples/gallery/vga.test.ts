import "../../../examples/gallery/vga/test/vga.test.ts";
