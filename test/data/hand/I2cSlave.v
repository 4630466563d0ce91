// I2C slave, seven-bit address, clock held while there is no room or no byte; lines held for 8 clocks more.
module I2cSlave (
  input  wire       clk,
  input  wire       rst,
  input  wire       scl_in,
  input  wire       sda_in,
  output reg        scl_low,
  output reg        sda_low,
  input  wire [6:0] address,
  output wire       received_valid,
  input  wire       received_ready,
  output wire [7:0] received_payload_data,
  output wire       received_payload_first,
  input  wire       to_send_valid,
  output wire       to_send_ready,
  input  wire [7:0] to_send_payload,
  output wire       active,
  output wire       reading
);
  (* async_reg = "true" *) reg scl_meta;
  (* async_reg = "true" *) reg scl_sync;
  (* async_reg = "true" *) reg sda_meta;
  (* async_reg = "true" *) reg sda_sync;
  reg scl_d1;
  reg scl_d2;
  reg sda_d1;
  reg sda_d2;
  reg scl_prev;
  reg sda_prev;
  wire scl = (scl_sync & scl_d1) | (scl_sync & scl_d2) | (scl_d1 & scl_d2);
  wire sda = (sda_sync & sda_d1) | (sda_sync & sda_d2) | (sda_d1 & sda_d2);

  always @(posedge clk)
    if (rst) begin
      scl_meta <= 1'b1;
      scl_sync <= 1'b1;
      scl_d1 <= 1'b1;
      scl_d2 <= 1'b1;
      scl_prev <= 1'b1;
      sda_meta <= 1'b1;
      sda_sync <= 1'b1;
      sda_d1 <= 1'b1;
      sda_d2 <= 1'b1;
      sda_prev <= 1'b1;
    end
    else begin
      scl_meta <= scl_in;
      scl_sync <= scl_meta;
      scl_d1 <= scl_sync;
      scl_d2 <= scl_d1;
      scl_prev <= scl;
      sda_meta <= sda_in;
      sda_sync <= sda_meta;
      sda_d1 <= sda_sync;
      sda_d2 <= sda_d1;
      sda_prev <= sda;
    end

  localparam [2:0] OFF = 3'd0, ADDRESS = 3'd1, RECEIVE = 3'd2, STORE = 3'd3, LOAD = 3'd4, SEND = 3'd5;
  reg [2:0] state;
  reg [7:0] shift;
  reg [3:0] bits;
  reg is_read;
  reg first;
  reg [3:0] settle;
  reg full;
  reg [8:0] held;

  wire scl_rise = scl && !scl_prev;
  wire scl_fall = !scl && scl_prev;
  wire start = scl && scl_prev && sda_prev && !sda;
  wire stop = scl && scl_prev && !sda_prev && sda;
  wire byte_end = scl_fall && bits == 4'd8;
  wire ack_end = scl_fall && bits == 4'd9;
  wire mine = shift[7:1] == address;
  wire store = state == STORE && (!full || received_ready);
  wire load = state == LOAD && to_send_valid;
  wire new_byte = ack_end && (state == ADDRESS || state == RECEIVE || state == SEND);
  wire hold = (byte_end && state == RECEIVE) ||
    (ack_end && ((state == ADDRESS && is_read) || (state == SEND && !shift[0])));

  always @(posedge clk)
    if (rst)
      state <= OFF;
    else if (start)
      state <= ADDRESS;
    else if (stop)
      state <= OFF;
    else
      case (state)
        ADDRESS:
          if (byte_end && !mine) state <= OFF;
          else if (ack_end) state <= is_read ? LOAD : RECEIVE;
        RECEIVE: if (byte_end) state <= STORE;
        STORE: if (store) state <= RECEIVE;
        LOAD: if (load) state <= SEND;
        SEND: if (ack_end) state <= shift[0] ? OFF : LOAD;
        default: state <= OFF;
      endcase

  always @(posedge clk)
    if (rst)
      bits <= 4'd0;
    else if (start || new_byte)
      bits <= 4'd0;
    else if (scl_rise)
      bits <= bits + 4'd1;

  always @(posedge clk)
    if (load)
      shift <= to_send_payload;
    else if (scl_rise)
      shift <= {shift[6:0], sda};

  always @(posedge clk)
    if (rst)
      sda_low <= 1'b0;
    else if (start || new_byte || state == OFF)
      sda_low <= 1'b0;
    else if ((state == ADDRESS && byte_end && mine) || store)
      sda_low <= 1'b1;
    else if (load)
      sda_low <= !to_send_payload[7];
    else if (state == SEND && scl_fall)
      sda_low <= !shift[7] && bits != 4'd8;

  always @(posedge clk)
    if (rst)
      settle <= 4'd0;
    else if (hold || state == STORE || state == LOAD)
      settle <= 4'd8;
    else if (settle != 4'd0)
      settle <= settle - 4'd1;

  always @(posedge clk)
    if (rst)
      scl_low <= 1'b0;
    else if (hold)
      scl_low <= 1'b1;
    else if (settle == 4'd0)
      scl_low <= 1'b0;

  always @(posedge clk)
    if (rst)
      is_read <= 1'b0;
    else if (state == ADDRESS && byte_end)
      is_read <= shift[0];

  always @(posedge clk)
    if (state == ADDRESS && byte_end)
      first <= 1'b1;
    else if (store)
      first <= 1'b0;

  always @(posedge clk)
    if (rst)
      full <= 1'b0;
    else if (store)
      full <= 1'b1;
    else if (received_ready)
      full <= 1'b0;

  always @(posedge clk)
    if (store)
      held <= {first, shift};

  assign received_valid = full;
  assign received_payload_data = held[7:0];
  assign received_payload_first = held[8];
  assign to_send_ready = state == LOAD;
  assign active = state != OFF && state != ADDRESS;
  assign reading = is_read;
endmodule
