// Holds a TAP device for `mnemo serve`: frames between the device and standard input and output, each with its length in front (16 bits,
// little-endian). Arguments: device, MTU, address and prefix length for this machine's end, and its MAC (optional). Says `ok <address>/<prefix>` or `error <sentence>` on
// one line first. Ends at the end of its input; a device that it made goes with it, one that was there stays as it was.
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

std::string device;

[[noreturn]] void fail(const std::string& sentence) {
  dprintf(STDOUT_FILENO, "error %s\n", sentence.c_str());
  exit(2);
}

/// A request about the device.
ifreq request() {
  ifreq r{};
  strncpy(r.ifr_name, device.c_str(), IFNAMSIZ - 1);
  return r;
}

[[noreturn]] void refused(const std::string& what, const std::string& remedy) {
  if (errno == EPERM || errno == EACCES) fail("there is no right to " + what + ": run as root (CAP_NET_ADMIN), or once as root " + remedy);
  fail("it is not possible to " + what + " (" + strerror(errno) + ")");
}

/// Opens the device, making it when it is not there.
int open_device() {
  const int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    if (errno == EACCES || errno == EPERM) refused("open /dev/net/tun", "`chmod 666 /dev/net/tun`");
    fail(std::string("/dev/net/tun cannot be opened (") + strerror(errno) + "): the kernel needs its tun module (modprobe tun)");
  }
  ifreq r = request();
  r.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (ioctl(fd, TUNSETIFF, &r) == 0) return fd;
  if (errno == EBUSY) fail("the device " + device + " is in use by another program; give another name with --tap");
  if (errno == EINVAL) fail("the device " + device + " is there already and is no TAP device; give another name with --tap");
  refused("use the TAP device " + device, "`ip tuntap add dev " + device + " mode tap user <you>`");
}

/// Gives this machine's end of the device a MAC.
void set_mac(int s, const char* mac, const std::string& remedy) {
  unsigned char bytes[6];
  if (sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", bytes, bytes + 1, bytes + 2, bytes + 3, bytes + 4, bytes + 5) != 6)
    fail(std::string(mac) + " is no MAC address");
  ifreq r = request();
  if (ioctl(s, SIOCGIFHWADDR, &r) == 0 && memcmp(r.ifr_hwaddr.sa_data, bytes, sizeof bytes) == 0) return;
  r = request();
  r.ifr_hwaddr.sa_family = ARPHRD_ETHER;
  memcpy(r.ifr_hwaddr.sa_data, bytes, sizeof bytes);
  if (ioctl(s, SIOCSIFHWADDR, &r) != 0) refused("give " + device + " the MAC " + mac, remedy);
}

/// Brings this machine's end up with an address, unless it has one. Returns what it has.
std::string configure(int mtu, const char* address, int prefix, const char* mac) {
  const int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (s < 0) fail(std::string("no socket can be opened (") + strerror(errno) + ")");
  const std::string remedy = "`ip addr add " + std::string(address) + "/" + std::to_string(prefix) + " dev " + device + " && ip link set " + device
    + " mtu " + std::to_string(mtu) + (mac == nullptr ? "" : std::string(" address ") + mac) + " up`";
  if (mac != nullptr) set_mac(s, mac, remedy);
  ifreq r = request();
  if (ioctl(s, SIOCGIFMTU, &r) == 0 && r.ifr_mtu != mtu) {
    r.ifr_mtu = mtu;
    if (ioctl(s, SIOCSIFMTU, &r) != 0) refused("set the MTU of " + device, remedy);
  }
  r = request();
  if (ioctl(s, SIOCGIFADDR, &r) != 0) {
    r = request();
    auto* a = reinterpret_cast<sockaddr_in*>(&r.ifr_addr);
    a->sin_family = AF_INET;
    inet_pton(AF_INET, address, &a->sin_addr);
    if (ioctl(s, SIOCSIFADDR, &r) != 0) refused("give " + device + " the address " + address, remedy);
    a->sin_addr.s_addr = htonl(prefix == 0 ? 0 : ~uint32_t{0} << (32 - prefix));
    if (ioctl(s, SIOCSIFNETMASK, &r) != 0) refused("give " + device + " the address " + address, remedy);
  }
  r = request();
  if (ioctl(s, SIOCGIFFLAGS, &r) == 0 && (r.ifr_flags & IFF_UP) == 0) {
    r.ifr_flags |= IFF_UP | IFF_RUNNING;
    if (ioctl(s, SIOCSIFFLAGS, &r) != 0) refused("bring " + device + " up", remedy);
  }
  char text[INET_ADDRSTRLEN] = "";
  r = request();
  if (ioctl(s, SIOCGIFADDR, &r) == 0) inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(&r.ifr_addr)->sin_addr, text, sizeof text);
  r = request();
  int bits = 0;
  if (ioctl(s, SIOCGIFNETMASK, &r) == 0) bits = __builtin_popcount(reinterpret_cast<sockaddr_in*>(&r.ifr_netmask)->sin_addr.s_addr);
  close(s);
  return std::string(text) + "/" + std::to_string(bits);
}

void write_all(const uint8_t* data, size_t length) {
  while (length > 0) {
    const ssize_t n = write(STDOUT_FILENO, data, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) exit(0);
    data += n;
    length -= static_cast<size_t>(n);
  }
}

/// Writes the whole frames that `waiting` begins with to the device. A frame that the device refuses is lost, as on any network.
void to_device(int tap, std::vector<uint8_t>& waiting) {
  size_t at = 0;
  while (at + 2 <= waiting.size()) {
    const size_t length = waiting[at] | waiting[at + 1] << 8;
    if (at + 2 + length > waiting.size()) break;
    if (write(tap, waiting.data() + at + 2, length) < 0) { /* lost */ }
    at += 2 + length;
  }
  waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(at));
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6 || strlen(argv[1]) >= IFNAMSIZ) fail("the TAP helper takes a device (15 characters), an MTU, an address, a prefix length and perhaps a MAC");
  // An interrupt from the terminal reaches the whole group: the node ends first, and this by its input's end.
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  device = argv[1];
  const int tap = open_device();
  const std::string address = configure(atoi(argv[2]), argv[3], atoi(argv[4]), argc == 6 ? argv[5] : nullptr);
  dprintf(STDOUT_FILENO, "ok %s\n", address.c_str());
  std::vector<uint8_t> waiting, frame(2 + 65536);
  pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {tap, POLLIN, 0}};
  for (;;) {
    if (poll(fds, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return 1;
    }
    if (fds[0].revents != 0) {
      uint8_t data[65536];
      const ssize_t n = read(STDIN_FILENO, data, sizeof data);
      if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return 0;
      if (n > 0) waiting.insert(waiting.end(), data, data + n);
      to_device(tap, waiting);
    }
    if (fds[1].revents != 0) {
      const ssize_t n = read(tap, frame.data() + 2, frame.size() - 2);
      if (n < 0 && errno != EINTR && errno != EAGAIN) return 1;
      if (n > 0 && n < 65536) {
        frame[0] = static_cast<uint8_t>(n & 0xff);
        frame[1] = static_cast<uint8_t>(n >> 8);
        write_all(frame.data(), 2 + static_cast<size_t>(n));
      }
    }
  }
}
