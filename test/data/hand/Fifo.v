// Synchronous FIFO, 16 words of 64 bits, first word falls through, words in LUT memory.
module Fifo (
  input  wire        clk,
  input  wire        rst,
  input  wire        push_valid,
  output wire        push_ready,
  input  wire [63:0] push_payload,
  output wire        pop_valid,
  input  wire        pop_ready,
  output wire [63:0] pop_payload,
  output wire [4:0]  level
);
  (* ram_style = "distributed" *) reg [63:0] mem [0:15];
  reg [3:0] wr_ptr;
  reg [3:0] rd_ptr;
  reg [4:0] count;

  wire push = push_valid & push_ready;
  wire pop = pop_valid & pop_ready;

  assign push_ready = count != 5'd16;
  assign pop_valid = count != 5'd0;
  assign pop_payload = mem[rd_ptr];
  assign level = count;

  always @(posedge clk)
    if (push) mem[wr_ptr] <= push_payload;

  always @(posedge clk)
    if (rst) begin
      wr_ptr <= 4'd0;
      rd_ptr <= 4'd0;
      count <= 5'd0;
    end
    else begin
      if (push) wr_ptr <= wr_ptr + 4'd1;
      if (pop) rd_ptr <= rd_ptr + 4'd1;
      case ({push, pop})
        2'b10: count <= count + 5'd1;
        2'b01: count <= count - 5'd1;
        default: count <= count;
      endcase
    end
endmodule
