// a * b + c of signed fixed-point numbers: 18 by 25 bits, sum of 43, rounded by 17 bits, saturated to 24. Four stages.
module MultiplyAdd (
  input  wire               clk,
  input  wire               rst,
  input  wire               request_valid,
  output wire               request_ready,
  input  wire signed [17:0] request_payload_a,
  input  wire signed [24:0] request_payload_b,
  input  wire signed [42:0] request_payload_c,
  output wire               result_valid,
  input  wire               result_ready,
  output wire signed [23:0] result_payload_value
);
  reg valid_1;
  reg valid_2;
  reg valid_3;
  reg valid_4;
  wire move_4 = !valid_4 || result_ready;
  wire move_3 = !valid_3 || move_4;
  wire move_2 = !valid_2 || move_3;
  wire move_1 = !valid_1 || move_2;

  reg signed [17:0] a;
  reg signed [24:0] b;
  reg signed [42:0] c_1;
  reg signed [42:0] product;
  reg signed [42:0] c_2;
  reg signed [43:0] sum;
  reg signed [23:0] value;

  // Half a unit rounds to the nearest; the upper bits say whether it fits.
  wire signed [44:0] rounded_sum = sum + 45'sd65536;
  wire signed [27:0] rounded = rounded_sum[44:17];
  wire fits = rounded[27:23] == 5'b00000 || rounded[27:23] == 5'b11111;

  assign request_ready = move_1;
  assign result_valid = valid_4;
  assign result_payload_value = value;

  always @(posedge clk)
    if (rst) begin
      valid_1 <= 1'b0;
      valid_2 <= 1'b0;
      valid_3 <= 1'b0;
      valid_4 <= 1'b0;
    end
    else begin
      if (move_1) valid_1 <= request_valid;
      if (move_2) valid_2 <= valid_1;
      if (move_3) valid_3 <= valid_2;
      if (move_4) valid_4 <= valid_3;
    end

  always @(posedge clk) begin
    if (request_valid && move_1) begin
      a <= request_payload_a;
      b <= request_payload_b;
      c_1 <= request_payload_c;
    end
    if (valid_1 && move_2) begin
      product <= a * b;
      c_2 <= c_1;
    end
    if (valid_2 && move_3)
      sum <= product + c_2;
    if (valid_3 && move_4)
      value <= fits ? rounded[23:0] : rounded[27] ? 24'h800000 : 24'h7fffff;
  end
endmodule
