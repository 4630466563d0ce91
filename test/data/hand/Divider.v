// Restoring divider, 32 bits, a quotient bit a clock, signed or unsigned by request; division by 0 as RISC-V has it.
module Divider (
  input  wire        clk,
  input  wire        rst,
  input  wire        request_valid,
  output wire        request_ready,
  input  wire [31:0] request_payload_dividend,
  input  wire [31:0] request_payload_divisor,
  input  wire        request_payload_signed,
  output wire        result_valid,
  input  wire        result_ready,
  output wire [31:0] result_payload_quotient,
  output wire [31:0] result_payload_remainder
);
  reg [5:0] count;
  reg done;
  reg [31:0] quotient;
  reg [31:0] divisor;
  reg [31:0] remainder;
  reg negate_quotient;
  reg negate_remainder;

  wire busy = count != 6'd0;
  wire accept = request_valid && request_ready;
  wire dividend_negative = request_payload_signed && request_payload_dividend[31];
  wire divisor_negative = request_payload_signed && request_payload_divisor[31];
  wire [32:0] shifted = {remainder, quotient[31]};
  wire [32:0] difference = shifted - {1'b0, divisor};

  assign request_ready = !busy && (!done || result_ready);
  assign result_valid = done;
  assign result_payload_quotient = negate_quotient ? -quotient : quotient;
  assign result_payload_remainder = negate_remainder ? -remainder : remainder;

  always @(posedge clk)
    if (rst) begin
      count <= 6'd0;
      done <= 1'b0;
    end
    else if (accept) begin
      count <= 6'd32;
      done <= 1'b0;
    end
    else if (busy) begin
      count <= count - 6'd1;
      done <= count == 6'd1;
    end
    else if (result_ready)
      done <= 1'b0;

  always @(posedge clk)
    if (accept) begin
      quotient <= dividend_negative ? -request_payload_dividend : request_payload_dividend;
      divisor <= divisor_negative ? -request_payload_divisor : request_payload_divisor;
      remainder <= 32'd0;
      negate_quotient <= (dividend_negative ^ divisor_negative) && request_payload_divisor != 32'd0;
      negate_remainder <= dividend_negative;
    end
    else if (busy) begin
      quotient <= {quotient[30:0], ~difference[32]};
      remainder <= difference[32] ? shifted[31:0] : difference[31:0];
    end
endmodule
