// The only source that sees Boost.Beast, which takes long to compile.
#include "live_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "cuttle/error.h"

namespace cuttle {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using beast::error_code;

constexpr int k_ports_to_try = 20;
constexpr std::size_t k_most_clients = 32;
constexpr std::size_t k_most_texts = 64;             // that wait for a client
constexpr std::size_t k_longest_message = 16 << 10;  // from a client [bytes]
constexpr std::size_t k_longest_header = 16 << 10;
constexpr int k_send_buffer = 256 << 10;  // of the system: what a slow client sees late
constexpr std::chrono::seconds k_patience(30);
constexpr std::chrono::milliseconds k_pause_after_trouble(100);

using Text = std::shared_ptr<const std::string>;

/// One browser over WebSocket. Everything happens in the server's thread.
class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(beast::tcp_stream stream, int number, const LiveServer::Events& events, std::function<void(int)> forget)
      : socket_(std::move(stream)), number_(number), events_(events), forget_(std::move(forget)) {}

  void accept(const http::request<http::string_body>& request) {
    beast::get_lowest_layer(socket_).expires_never();  // the WebSocket has its own
    auto timeout = websocket::stream_base::timeout::suggested(beast::role_type::server);
    timeout.keep_alive_pings = true;
    socket_.set_option(timeout);
    socket_.read_message_max(k_longest_message);
    socket_.auto_fragment(false);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return self->end();
      self->open_ = true;
      self->events_.opened(self->number_);
      self->read();
      self->write();
    });
  }
  void send(Text text) {
    if (texts_.size() >= k_most_texts) return end();  // it does not listen
    texts_.push_back(std::move(text));
    write();
  }
  void send_state(Text state) { state_ = std::move(state), write(); }
  void send_frame(Text frame) { frame_ = std::move(frame), write(); }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->end();
      if (self->socket_.got_text()) {
        self->events_.received(self->number_, beast::buffers_to_string(self->buffer_.data()));
      } else {
        self->events_.received(self->number_, {});  // no message is binary: it cannot be read
      }
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }
  /// What waits, one after the other: texts first, then the state, then the frame.
  void write() {
    if (!open_ || writing_) return;
    const bool binary = texts_.empty() && !state_ && frame_;
    if (!texts_.empty()) {
      writing_ = std::move(texts_.front());
      texts_.pop_front();
    } else if (state_) {
      writing_ = std::exchange(state_, nullptr);
    } else if (frame_) {
      writing_ = std::exchange(frame_, nullptr);
    } else {
      return;
    }
    socket_.binary(binary);
    socket_.async_write(asio::buffer(*writing_), [self = shared_from_this()](error_code error, std::size_t) {
      self->writing_ = nullptr;
      if (error) return self->end();
      self->write();
    });
  }
  void end() {
    if (std::exchange(ended_, true)) return;
    open_ = false;
    error_code ignored;
    beast::get_lowest_layer(socket_).socket().close(ignored);
    events_.closed(number_);
    forget_(number_);
  }

  websocket::stream<beast::tcp_stream> socket_;
  int number_;
  const LiveServer::Events& events_;
  std::function<void(int)> forget_;
  beast::flat_buffer buffer_;
  std::deque<Text> texts_;
  Text state_, frame_, writing_;
  bool open_ = false, ended_ = false;
};

}  // namespace

class LiveServer::Network {
 public:
  Network(std::string page, int port, Events events)
      : page_(std::move(page)), events_(std::move(events)), acceptor_(context_) {
    listen(port);
    port_ = acceptor_.local_endpoint().port();
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Network() {
    pages_.join();  // what still goes on refers to all of this
    context_.stop();
    thread_.join();
  }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int port() const { return port_; }
  template <typename Function>
  void each(Function function) {
    asio::post(context_, [this, function = std::move(function)] {
      const auto clients = clients_;  // one that is sent away leaves the list
      for (const auto& [number, client] : clients) function(number, *client);
    });
  }

 private:
  using Request = http::request<http::string_body>;
  using Parser = http::request_parser<http::string_body>;
  using Response = http::response<http::string_body>;

  /// A connection before it is a WebSocket.
  struct Connection {
    explicit Connection(tcp::socket socket) : stream(std::move(socket)) {
      parser.header_limit(k_longest_header);
      parser.body_limit(k_longest_message);
    }
    beast::tcp_stream stream;
    beast::flat_buffer buffer;
    Parser parser;
    Response response;
  };

  void listen(int port) {
    std::string trouble;
    const int last = port == 0 ? 0 : std::min(port + k_ports_to_try - 1, 65535);
    for (int candidate = port; candidate <= last; ++candidate) {
      const tcp::endpoint here(asio::ip::address_v4::loopback(), static_cast<unsigned short>(candidate));
      error_code error;
      acceptor_.open(here.protocol(), error);
      if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
      if (!error) acceptor_.bind(here, error);
      if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
      if (!error) return;
      trouble = error.message();
      error_code ignored;
      acceptor_.close(ignored);
    }
    throw Error(fmt::format("--port: found none that is free from {} to {}: {}", port, last, trouble));
  }

  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) {  // such as too many open files: not again at once
        pause_.expires_after(k_pause_after_trouble);
        pause_.async_wait([this](error_code) {
          if (acceptor_.is_open()) accept();
        });
        return;
      }
      {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        socket.set_option(asio::socket_base::send_buffer_size(k_send_buffer), ignored);
        read(std::make_shared<Connection>(std::move(socket)));
      }
      if (acceptor_.is_open()) accept();
    });
  }

  void read(const std::shared_ptr<Connection>& connection) {
    connection->stream.expires_after(k_patience);
    http::async_read(connection->stream, connection->buffer, connection->parser,
                     [this, connection](error_code error, std::size_t) {
                       if (error) return;
                       answer(connection);
                     });
  }

  /// Host and port, "" where there is none, of NAME:PORT.
  static std::pair<std::string_view, std::string_view> split(std::string_view authority) {
    const std::size_t colon = authority.rfind(':');
    if (colon == authority.npos) return {authority, {}};
    return {authority.substr(0, colon), authority.substr(colon + 1)};
  }
  /// Whether it is this machine by name, at whatever port: `ssh -L` and containers give the page another one. A foreign
  /// site that has its name lead here keeps that name.
  static bool is_this_machine(std::string_view authority) {
    const std::string_view name = split(authority).first;
    return name == "127.0.0.1" || name == "localhost";
  }
  static std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

  void answer(const std::shared_ptr<Connection>& connection) {
    const Request& request = connection->parser.get();
    const std::string_view target = view(request.target());
    const std::string_view path = target.substr(0, target.find('?'));
    if (!is_this_machine(view(request[http::field::host]))) {
      return respond(connection, http::status::forbidden,
                     fmt::format("wrong Host: this page is for this machine only; from another one forward the port, "
                                 "ssh -L {0}:127.0.0.1:{0} HOST, and open http://localhost:{0}/\n",
                                 port_));
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return respond(connection, http::status::method_not_allowed, "only GET\n");
    }
    if (path == "/live" && events_.opened) return upgrade(connection);
    if (path == "/") return respond(connection, http::status::ok, page_, "text/html; charset=utf-8");
    // browsers ask for one whatever the page says
    if (path == "/favicon.ico") return respond(connection, http::status::no_content, {});
    if (events_.page) return find_page(connection, std::string(path));
    respond(connection, http::status::not_found, "there is nothing here but /\n");
  }

  void find_page(const std::shared_ptr<Connection>& connection, const std::string& path) {
    connection->stream.expires_never();  // the page may take long to make
    asio::post(pages_, [this, connection, path] {
      Page page = events_.page(path);
      asio::post(context_, [this, connection, page = std::move(page)]() mutable {
        const http::status status = page.found ? http::status::ok : http::status::not_found;
        const char* const type = page.found ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
        respond(connection, status, std::move(page.content), type, "SAMEORIGIN");
      });
    });
  }

  void upgrade(const std::shared_ptr<Connection>& connection) {
    const Request& request = connection->parser.get();
    if (!websocket::is_upgrade(request)) {
      return respond(connection, http::status::upgrade_required, "/live speaks WebSocket\n");
    }
    constexpr std::string_view k_scheme = "http://";
    const std::string_view origin = view(request[http::field::origin]);
    // the page that this server gave to the same browser, by either name, has the port of this request
    const std::string_view from = origin.substr(std::min(k_scheme.size(), origin.size()));
    const bool own = origin.starts_with(k_scheme) && is_this_machine(from) &&
                     split(from).second == split(view(request[http::field::host])).second;
    if (!origin.empty() && !own) {  // programs that are no browsers have none
      return respond(connection, http::status::forbidden, "wrong Origin: only the page of this server\n");
    }
    if (clients_.size() >= k_most_clients) {
      return respond(connection, http::status::service_unavailable, "too many browsers\n");
    }
    const int number = ++last_number_;
    const auto client = std::make_shared<Client>(std::move(connection->stream), number, events_,
                                                 [this](int gone) { clients_.erase(gone); });
    clients_[number] = client;
    client->accept(connection->parser.release());
  }

  void respond(const std::shared_ptr<Connection>& connection, http::status status, std::string body,
               const char* type = "text/plain; charset=utf-8", const char* frames = "DENY") {
    const Request& request = connection->parser.get();
    Response& response = connection->response;
    response = Response(status, 11);
    response.set(http::field::content_type, type);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("X-Frame-Options", frames);  // no other page may show this one and have it clicked
    response.keep_alive(false);
    const std::size_t size = body.size();
    if (request.method() != http::verb::head) response.body() = std::move(body);
    response.prepare_payload();
    if (request.method() == http::verb::head) response.content_length(size);
    connection->stream.expires_after(k_patience);
    http::async_write(connection->stream, response, [connection](error_code, std::size_t) {
      error_code ignored;
      connection->stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  std::string page_;
  Events events_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_{context_};
  int port_ = 0;
  std::map<int, std::shared_ptr<Client>> clients_;
  int last_number_ = 0;
  asio::thread_pool pages_{1};
  std::thread thread_;
};

LiveServer::LiveServer(std::string page, int port, Events events)
    : network_(std::make_unique<Network>(std::move(page), port, std::move(events))) {}
LiveServer::~LiveServer() = default;

int LiveServer::port() const { return network_->port(); }
std::string LiveServer::address() const { return fmt::format("http://127.0.0.1:{}/", port()); }

void LiveServer::send(int client, std::string text) {
  network_->each([client, shared = std::make_shared<const std::string>(std::move(text))](int number, Client& other) {
    if (number == client) other.send(shared);
  });
}
void LiveServer::send_state(std::string text) {
  network_->each([shared = std::make_shared<const std::string>(std::move(text))](int, Client& client) {
    client.send_state(shared);
  });
}
void LiveServer::send_frame(std::string bytes) {
  network_->each([shared = std::make_shared<const std::string>(std::move(bytes))](int, Client& client) {
    client.send_frame(shared);
  });
}

}  // namespace cuttle
