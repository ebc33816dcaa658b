#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "bindings.h"
#include "cuttle/error.h"
#include "cuttle/identification/comparison.h"
#include "cuttle/identification/identification_job.h"
#include "cuttle/io/replaced_files.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/view/comparison_figure.h"
#include "cuttle/view/identification_page.h"
#include "interpreter_end.h"
#include "shared_options.h"
#include "viewer_page.h"

namespace cuttle::python {
namespace {

/// What the words of a command ask for. @throws ArgumentError.
template <typename Request>
Request request_of(std::vector<std::string> words, void (*add_options)(CLI::App&, Request&)) {
  Request request;
  bool of_texts = false;  // that the command prints
  CLI::App app;
  add_options(app, request);
  add_plugin_option(app);
  app.add_flag("--json,--all", of_texts);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw ArgumentError(error.what());
  }
  return request;
}

/// Outputs may replace what another call has read, and tables may be written again: each call is as a command.
class OwnFiles {
 public:
  explicit OwnFiles(const std::vector<std::string>& outputs) {
    for (const std::string& output : outputs) forget_read(output);
  }
  ~OwnFiles() {
    for (const std::string& table : tables) forget_read(table);
  }
  OwnFiles(const OwnFiles&) = delete;
  OwnFiles& operator=(const OwnFiles&) = delete;
  std::vector<std::string> tables;
};

/// Work in a thread of its own, of which this one tells Python.
class Followed {
 public:
  std::atomic<bool> stop = false;     ///< the work ends with what it has
  std::atomic<bool> abandon = false;  ///< and leaves out what is not begun

  /// Of the work.
  void show(double done, const std::string& words) {
    const std::lock_guard lock(mutex_);
    shown_.emplace_back(done, words);
    changed_.notify_one();
  }

  /// With the interpreter's lock. @return what a handler of signals or `progress` raised: the work was stopped.
  template <typename Work>
  std::optional<nb::python_error> run(const Work& work, const nb::object& progress) {
    std::optional<nb::python_error> raised;
    std::thread thread([&] {
      try {
        work();
      } catch (...) {
        failure_ = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_one();
    });
    for (bool done = false; !done;) {
      std::deque<std::pair<double, std::string>> shown;
      {
        const nb::gil_scoped_release unlocked;
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, std::chrono::milliseconds(50), [this] { return done_ || !shown_.empty(); });
        shown.swap(shown_), done = done_;
      }
      try {
        check_signals();
        for (const auto& [part, words] : shown) {
          if (!raised && !progress.is_none()) progress(part, words);
        }
      } catch (nb::python_error& error) {
        if (raised) abandon = true;
        if (!raised) raised.emplace(std::move(error));
        stop = true;
      }
    }
    thread.join();
    return raised;
  }
  void rethrow_failure() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<double, std::string>> shown_;
  bool done_ = false;
  std::exception_ptr failure_;
};

/// From files to files, and the answer as JSON. @param answer  is there once something was found.
void identify_files(const std::vector<std::string>& words, Followed& followed, std::string& answer) {
  const IdentificationRequest request = request_of(words, add_identification_options);
  OwnFiles own({request.output, request.report});
  for (const std::vector<std::string>* const files : {&request.files, &request.held_out}) {
    std::copy_if(files->begin(), files->end(), std::back_inserter(own.tables),
                 [](const std::string& file) { return file.ends_with(".csv"); });
  }
  IdentificationJob job(request);
  job.prepare();
  job.fit(&followed.stop, [&](double done, const std::string& text) { followed.show(done, text); });
  job.write_robot();
  job.validate();
  if (!followed.abandon) job.compare_held_out();
  if (!followed.abandon) job.write_report([&job] { return identification_page(job, viewer_page()); });
  answer = identification_json(job.outcome());
  if (!followed.stop) job.rethrow_failure();
}

nb::object identify(const std::vector<std::string>& words, const nb::object& progress) {
  const Work work;
  Followed followed;
  std::string answer;
  std::optional<nb::python_error> raised = followed.run([&] { identify_files(words, followed, answer); }, progress);
  const nb::object loads = nb::module_::import_("json").attr("loads");
  if (raised) {
    nb::setattr(raised->value(), "result", answer.empty() ? nb::none() : loads(answer));
    throw std::move(*raised);
  }
  followed.rethrow_failure();
  return loads(answer);
}

std::string compare_by_words(const std::vector<std::string>& words) {
  const ComparisonRequest request = request_of(words, add_comparison_options);
  OwnFiles own({request.output});
  own.tables = {request.run, request.reference};
  std::optional<ReplaceAnyFile> any;
  if (request.force && !request.output.empty()) any.emplace(request.output);
  const Comparison comparison = compare_files(request);
  if (!request.output.empty()) write_whole_file(request.output, comparison_figure(request, comparison));
  return comparison_json(request, comparison);
}

}  // namespace

void bind_identification(nb::module_& m) {
  m.def("identify", &identify, "words"_a, "progress"_a = nb::none(),
        "What `cuttle identify` says as JSON. Words are those of the command. What is raised meanwhile has it as "
        "`result` for the best so far, or None.");
  m.def(
      "compare",
      [](const std::vector<std::string>& words) {
        std::string answer;
        {
          const nb::gil_scoped_release unlocked;
          answer = compare_by_words(words);
        }
        return nb::module_::import_("json").attr("loads")(answer);
      },
      "words"_a, "What `cuttle compare` says as JSON. Words are those of the command.");
}

}  // namespace cuttle::python
