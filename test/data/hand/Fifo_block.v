// Synchronous FIFO, 512 words of 64 bits, first word falls through, words in block RAM.
module Fifo_block (
  input  wire        clk,
  input  wire        rst,
  input  wire        push_valid,
  output wire        push_ready,
  input  wire [63:0] push_payload,
  output wire        pop_valid,
  input  wire        pop_ready,
  output wire [63:0] pop_payload,
  output wire [9:0]  level
);
  (* ram_style = "block" *) reg [63:0] mem [0:511];
  reg [8:0] wr_ptr;
  reg [8:0] rd_ptr;
  reg [9:0] count;
  reg [63:0] rd_data;
  reg [63:0] bypass_data;
  reg bypass;

  wire push = push_valid & push_ready;
  wire pop = pop_valid & pop_ready;
  wire [8:0] rd_next = pop ? rd_ptr + 9'd1 : rd_ptr;

  assign push_ready = count != 10'd512;
  assign pop_valid = count != 10'd0;
  assign pop_payload = bypass ? bypass_data : rd_data;
  assign level = count;

  // A word that is read as it is written comes past the memory.
  always @(posedge clk) begin
    if (push) mem[wr_ptr] <= push_payload;
    rd_data <= mem[rd_next];
    bypass_data <= push_payload;
    bypass <= push & (wr_ptr == rd_next);
  end

  always @(posedge clk)
    if (rst) begin
      wr_ptr <= 9'd0;
      rd_ptr <= 9'd0;
      count <= 10'd0;
    end
    else begin
      rd_ptr <= rd_next;
      if (push) wr_ptr <= wr_ptr + 9'd1;
      case ({push, pop})
        2'b10: count <= count + 10'd1;
        2'b01: count <= count - 10'd1;
        default: count <= count;
      endcase
    end
endmodule
