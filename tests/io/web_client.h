#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace cuttle {

/// A connection to a web server of this machine, by hand: HTTP, then WebSocket as RFC 6455 says.
class WebClient {
 public:
  /// @param receive_buffer  of the system [bytes]; 0: its default.
  explicit WebClient(int port, int receive_buffer = 0) : port_(port), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  WebClient(WebClient&& other) noexcept
      : port_(other.port_),
        socket_(std::exchange(other.socket_, -1)),
        connected_(other.connected_),
        bytes_(std::move(other.bytes_)) {}
  WebClient& operator=(WebClient&&) = delete;
  ~WebClient() {
    if (socket_ >= 0) close(socket_);
  }

  bool connected() const { return connected_; }
  std::string own_host() const { return "127.0.0.1:" + std::to_string(port_); }

  /// The whole answer; the server closes.
  std::string get(const std::string& path, const std::string& host, const std::string& more = {}) {
    write("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n");
    while (receive(10.0)) {
    }
    return bytes_;
  }

  /// @return the status of the answer, 101 if it is a WebSocket now.
  int upgrade(const std::string& host, const std::string& origin) {
    std::string request = "GET /live HTTP/1.1\r\nHost: " + host +
                          "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    if (!origin.empty()) request += "Origin: " + origin + "\r\n";
    write(request + "\r\n");
    std::size_t end = std::string::npos;
    while ((end = bytes_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive(10.0)) return 0;
    }
    const int status = std::stoi(bytes_.substr(9, 3));
    bytes_.erase(0, end + 4);
    return status;
  }

  void send_text(const std::string& text) {
    std::string frame = "\x81";
    if (text.size() < 126) {
      frame += static_cast<char>(0x80 | text.size());
    } else {
      frame += static_cast<char>(0x80 | 126);
      frame += static_cast<char>(text.size() >> 8);
      frame += static_cast<char>(text.size() & 0xff);
    }
    frame += std::string(4, '\0');  // a mask that changes nothing
    write(frame + text);
  }

  struct Message {
    bool whole = false;  ///< false: nothing came, or the connection ended
    bool binary = false;
    std::string data;
  };
  /// The next message; pings are skipped.
  Message next(double seconds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
      const unsigned char* raw = reinterpret_cast<const unsigned char*>(bytes_.data());
      std::size_t header = 2, size = bytes_.size() < 2 ? 0 : raw[1] & 0x7f;
      const std::size_t more = size == 127 ? 8 : size == 126 ? 2 : 0;
      if (bytes_.size() >= 2 + more) {
        if (more > 0) size = 0;
        for (std::size_t k = 0; k < more; ++k) size = size << 8 | raw[2 + k];
        header += more;
        if (bytes_.size() >= header + size && bytes_.size() >= 2) {
          const int kind = raw[0] & 0x0f;
          Message message{true, kind == 2, bytes_.substr(header, size)};
          bytes_.erase(0, header + size);
          if (kind == 8) return {};
          if (kind == 1 || kind == 2) return message;
          continue;
        }
      }
      const std::chrono::duration<double> left = deadline - std::chrono::steady_clock::now();
      if (left.count() <= 0.0 || !receive(left.count())) return {};
    }
  }

 private:
  void write(const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return;
      done += static_cast<std::size_t>(n);
    }
  }
  bool receive(double seconds) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(1000.0 * seconds) + 1) <= 0) return false;
    char buffer[65536];
    const ssize_t n = recv(socket_, buffer, sizeof buffer, 0);
    if (n <= 0) return false;
    bytes_.append(buffer, static_cast<std::size_t>(n));
    return true;
  }

  int port_, socket_;
  bool connected_ = false;
  std::string bytes_;
};

}  // namespace cuttle
