#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "glassformer/commands/commands.hpp"
#include "glassformer/commands/live_page.hpp"
#include "glassformer/commands/live_run.hpp"
#include "glassformer/files/interruption.hpp"
#include "glassformer/files/output_file.hpp"
#include "glassformer/files/user_error.hpp"

// clang-format off: after Eigen, one of whose parameters is called _res, a macro of <resolv.h>
#include <httplib.h>
// clang-format on

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAddress = "127.0.0.1";  // this computer, and no other
constexpr int kUsualPort = 8017;

struct LiveOptions {
  std::optional<fs::path> run, html, json;
  std::optional<int> port;
};

/// Whether the browser asked for this computer by one of its own names. A page of another site, whose name leads here,
/// could otherwise read this one.
bool is_local(const std::string& host) {
  const std::string name = host.substr(0, host.rfind(':'));
  return name == kAddress || name == "localhost";
}

/// Binds the port that was asked for; otherwise, the usual one or any that is free. Returns its number.
int bind(httplib::Server& server, std::optional<int> wanted) {
  server.set_socket_options([](socket_t socket) {  // without SO_REUSEPORT, which lets two programs share a port
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  if (server.bind_to_port(kAddress, wanted.value_or(kUsualPort))) {
    return wanted.value_or(kUsualPort);
  }
  if (wanted) {
    throw UserError(
        fmt::format("--port {}: another program uses this port, or you may not; choose another one, or "
                    "leave out --port for any that is free",
                    *wanted));
  }
  const int port = server.bind_to_any_port(kAddress);
  if (port < 0) {
    throw std::runtime_error(fmt::format("cannot open a port at {}", kAddress));
  }
  return port;
}

/// Shows the page to the browsers of this computer until Ctrl-C. Returns the exit status.
int serve(const std::string& page, std::optional<int> wanted_port) {
  httplib::Server server;
  server.Get("/", [&](const httplib::Request& request, httplib::Response& response) {
    if (is_local(request.get_header_value("Host"))) {
      response.set_header("Cross-Origin-Resource-Policy", "same-origin");
      response.set_content(page, "text/html; charset=utf-8");
    } else {
      response.status = 403;
    }
  });
  server.set_keep_alive_timeout(1);  // an open page would otherwise delay the end
  const int port = bind(server, wanted_port);
  stop_on_signals();
  std::atomic<bool> ended = false;
  std::thread listener([&] {
    server.listen_after_bind();
    ended = true;
  });
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  while (!server.is_running() && !ended) {  // before that, stop() does nothing
    wait();
  }
  std::cout << "http://" << kAddress << ":" << port << "/" << std::endl;
  spdlog::info("open this address in a browser of this computer (its other users can, too); Ctrl-C ends the program");
  while (stop_signal() == 0 && !ended) {
    wait();
  }
  server.stop();
  listener.join();
  if (stop_signal() == 0) {
    throw std::runtime_error(fmt::format("the server at {} port {} has ended", kAddress, port));
  }
  return 128 + stop_signal();
}

int run_live(const LiveOptions& options) {
  if (options.json && !options.run) {
    throw UserError("--json: this writes a run for the page; give the run's directory, too");
  }
  if (options.port && (options.html || options.json)) {
    throw UserError("--port: there is no server if the page or the run is written to a file; leave it out");
  }
  check_two_files(options.html, options.json);
  std::optional<OutputFile> html;
  std::optional<OutputFile> json;
  for (const auto& [option, name, file] :
       {std::tuple("--html", options.html, &html), std::tuple("--json", options.json, &json)}) {
    if (name) {
      check_output(option, *name);
      file->emplace(*name);
    }
  }
  const std::optional<std::string> run = options.run ? std::optional(live_run_json(*options.run)) : std::nullopt;
  if (json) {
    json->stream() << *run << '\n';
    json->finish();
    spdlog::info("wrote the run {}", options.json->string());
  }
  if (html) {
    write_live_page(run, html->stream());
    html->finish();
    spdlog::info("wrote the page {}; open it in a browser", options.html->string());
  }
  if (html || json) {
    return 0;
  }
  std::ostringstream page;
  write_live_page(run, page);
  return serve(page.str(), options.port);
}

}  // namespace

void add_live(CLI::App& program, int& status) {
  const auto [command, options] = add_command(
      program, status, "live",
      "Show the page in which a model trains, at an address of this\ncomputer, or write it as one file", run_live);
  command
      .add_option(
          "run", options.run,
          "the run that the page opens, with its checkpoints, or one of\nthem (default: a new model of the toy)")
      ->type_name("");
  const auto is_name = [](const std::string& file) { return file.empty() ? "expected a file name" : ""; };
  command.add_option("--html", options.html, "write the page to FILE, instead of showing it")
      ->check(is_name)
      ->type_name("FILE");
  command.add_option("--json", options.json, "write the run to FILE, for scripts/live_pages.py")
      ->check(is_name)
      ->type_name("FILE");
  check_range(command.add_option("--port", options.port,
                                 fmt::format("of the address (default: {}, or any that is free)", kUsualPort)),
              1, 65535);
}

}  // namespace glassformer
